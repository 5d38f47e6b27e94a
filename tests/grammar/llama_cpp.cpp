// How llama.cpp's own GBNF reader (src/llama-grammar.cpp) is given a grammar and a text. Does not depend on formats and
// tools. llama_cpp.py builds and calls it.
//
// Requests on standard input: `G` or `T`, the number of bytes, a line break, the bytes. `G` reads a grammar, `T` a text
// by the last grammar. The answer is a line: `yes` or `no`.
//
// llama-grammar.cpp asks a vocabulary only for tokens; here there are none, and all is done by characters.
#include "llama-grammar.h"
#include "llama-impl.h"
#include "llama-vocab.h"
#include "unicode.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

void llama_log_internal(ggml_log_level, const char *format, ...) {
    va_list rest;
    va_start(rest, format);
    std::vfprintf(stderr, format, rest);
    va_end(rest);
}

void ggml_abort(const char *file, int line, const char *, ...) {
    std::fprintf(stderr, "%s:%d\n", file, line);
    std::abort();
}

const std::string &llama_vocab::token_to_piece(llama_token) const { throw std::logic_error("no vocabulary"); }

bool llama_vocab::is_eog(llama_token) const { throw std::logic_error("no vocabulary"); }

int32_t llama_vocab::tokenize(const char *, int32_t, llama_token *, int32_t, bool, bool) const {
    throw std::logic_error("no vocabulary");
}

static bool accepts(const llama_grammar &grammar, const std::string &text) {
    llama_grammar *walk = llama_grammar_clone_impl(grammar);
    bool fits = true;
    for (uint32_t code : unicode_cpts_from_utf8(text)) {
        llama_grammar_accept(walk, code);
        if (walk->stacks.empty()) {
            fits = false;
            break;
        }
    }
    bool ends = false;
    for (const auto &stack : walk->stacks) ends = ends || stack.empty();
    llama_grammar_free_impl(walk);
    return fits && ends;
}

int main() {
    llama_grammar *grammar = nullptr;
    char kind;
    size_t size;
    while (std::scanf(" %c %zu", &kind, &size) == 2) {
        std::getchar();
        std::string given(size, '\0');
        if (std::fread(given.data(), 1, size, stdin) != size) return 1;
        bool yes;
        if (kind == 'G') {
            if (grammar != nullptr) llama_grammar_free_impl(grammar);
            grammar = llama_grammar_init_impl(nullptr, given.c_str(), "root", false, nullptr, 0, nullptr, 0);
            yes = grammar != nullptr;
        } else {
            yes = grammar != nullptr && accepts(*grammar, given);
        }
        std::puts(yes ? "yes" : "no");
        std::fflush(stdout);
    }
    return 0;
}
