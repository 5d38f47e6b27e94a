// The parser of llama.cpp's server, as a program that reads and answers lines of JSON. llama_cpp.py starts it.
// Does not depend on a model: a chat template chooses the parser, and common/ renders and reads without one.
//
//   {"open": TEMPLATE, "tools": [...],                     {"generation_prompt": TEXT, "stops": [...], ...}
//    "start": "reasoning" | "content", "reasons": bool}
//   {"feed": TEXT}                                         {"deltas": [...]}, as the server streams them
//   {"finish": true}                                       {"deltas": [...]}
//   {"whole": TEXT}                                        {"message": {...}}, as without streaming
//
// `start`: whether the prompt opens the reasoning; `reasons`: whether there is reasoning at all.
//
// A line that fails is answered with {"error": TEXT}, and the program goes on.
//
// `open` does what tools/server/server-common.cpp does with a request (oaicompat_chat_params_parse), and the others
// what tools/server/server-task.cpp does with what the model writes (task_result_state::update_chat_msg).

#include "chat.h"
#include "common.h"
#include "json.h"
#include "log.h"

#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

using json = common_json;

namespace {

struct turn {
    common_chat_parser_params params;
    std::vector<std::string>  stops;
    std::string               written;
    common_chat_msg           message;
};

std::string trimmed(const std::string & text) {
    const auto end = text.find_last_not_of(" \t\r\n");
    return end == std::string::npos ? "" : text.substr(0, end + 1);
}

// Whether the prompt ends inside the reasoning.
bool opens_reasoning(const common_chat_params & params) {
    const std::string start = trimmed(params.thinking_start_tag), prompt = trimmed(params.generation_prompt);
    return !start.empty() && prompt.size() >= start.size() &&
           prompt.compare(prompt.size() - start.size(), start.size(), start) == 0;
}

common_chat_params applied(const std::string & source, const json & tools, bool thinking) {
    const auto templates = common_chat_templates_init(nullptr, source);

    common_chat_templates_inputs inputs;
    common_chat_msg              user;
    user.role                  = "user";
    user.content               = "Hello";
    inputs.messages            = { user };
    inputs.tools               = common_chat_tools_parse_oaicompat(tools);
    inputs.parallel_tool_calls = true;  // as a request may ask for
    inputs.reasoning_format    = COMMON_REASONING_FORMAT_DEEPSEEK;  // what the server's default, auto, is
    inputs.enable_thinking     = thinking;
    if (thinking) {
        inputs.chat_template_kwargs["reasoning_effort"] = "\"high\"";
    }
    return common_chat_templates_apply(templates.get(), inputs);
}

json opened(turn & now, const json & asked) {
    const bool        wanted = asked.value("start", "content") == "reasoning";
    const std::string source = asked.at("open").get<std::string>();
    const bool        written = asked.value("reasons", false);
    auto              params = applied(source, asked.at("tools"), true);
    if (!wanted && opens_reasoning(params)) {
        if (written) {  // the turn opens it itself
            params.generation_prompt.resize(params.generation_prompt.rfind(trimmed(params.thinking_start_tag)));
        } else {        // the request said "enable_thinking": false
            params = applied(source, asked.at("tools"), false);
        }
    }
    if (!wanted && opens_reasoning(params) && !params.thinking_end_tags.empty()) {  // a template that always opens it
        params.generation_prompt += params.thinking_end_tags.front();
    }
    if (wanted && !opens_reasoning(params)) {
        if (params.thinking_start_tag.empty()) {
            return json::object({ { "unclaimed", "its template has no reasoning" } });
        }
        params.generation_prompt += params.thinking_start_tag;  // a template that opens the reasoning itself
    }
    now        = turn();
    now.params = common_chat_parser_params(params);
    now.params.reasoning_format = COMMON_REASONING_FORMAT_DEEPSEEK;
    if (!params.parser.empty()) {
        now.params.parser.load(params.parser);
    }
    json stops = json::array();
    for (const auto & stop : params.additional_stops) {
        stops.push_back(stop);
    }
    return json::object({ { "format", common_chat_format_name(params.format) },
                          { "generation_prompt", params.generation_prompt },
                          { "opens_reasoning", opens_reasoning(params) },
                          { "stops", stops } });
}

json deltas_of(turn & now, const std::string & text, bool is_partial) {
    now.written += text;
    json       found  = json::array();
    const auto before = now.message;
    const auto after  = common_chat_parse(now.written, is_partial, now.params);
    if (!after.empty()) {
        now.message = after;
        for (const auto & each : common_chat_msg_diff::compute_diffs(before, after)) {
            json delta = json::object({ { "content", each.content_delta }, { "reasoning", each.reasoning_content_delta } });
            if (each.tool_call_index != std::string::npos) {
                delta["index"]     = (int) each.tool_call_index;
                delta["name"]      = each.tool_call_delta.name;
                delta["arguments"] = each.tool_call_delta.arguments;
            }
            found.push_back(delta);
        }
    }
    return json::object({ { "deltas", found } });
}

json whole_of(turn & now, const std::string & text) {
    const auto message = common_chat_parse(text, false, now.params);
    json       calls   = json::array();
    for (const auto & call : message.tool_calls) {
        calls.push_back(json::object({ { "name", call.name }, { "arguments", call.arguments } }));
    }
    return json::object({ { "message", json::object({ { "content", message.content },
                                                      { "reasoning", message.reasoning_content },
                                                      { "calls", calls } }) } });
}

json answered(turn & now, const json & asked) {
    if (asked.contains("open")) {
        return opened(now, asked);
    }
    if (asked.contains("whole")) {
        return whole_of(now, asked.at("whole").get<std::string>());
    }
    if (asked.contains("feed")) {
        return deltas_of(now, asked.at("feed").get<std::string>(), true);
    }
    return deltas_of(now, "", false);
}

}  // namespace

int main() {
    common_log_pause(common_log_main());
    turn        now;
    std::string line;
    while (std::getline(std::cin, line)) {
        json answer;
        try {
            answer = answered(now, json::parse(line));
        } catch (const std::exception & error) {
            answer = json::object({ { "error", std::string(error.what()) } });
        }
        std::cout << answer.dump_safe() << std::endl;
    }
    return 0;
}
