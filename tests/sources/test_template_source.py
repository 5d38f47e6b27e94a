"""Chat templates, taken out of what holds them."""

from __future__ import annotations

import json

import pytest

from toolglean.errors import TemplateError
from toolglean.sources.templates.source import in_config, template_in


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{{ .Prompt }}", "{{ .Prompt }}"),
        ("{% for m in messages %}{% endfor %}", "{% for m in messages %}{% endfor %}"),
        ('FROM qwen3\nTEMPLATE """{{ .System }}\n{{ .Prompt }}"""\nPARAMETER stop x\n', "{{ .System }}\n{{ .Prompt }}"),
        ('# mine\nfrom ./x.gguf\ntemplate "{{ .Prompt }}"\n', "{{ .Prompt }}"),
        ("FROM x\nTEMPLATE {{ .Prompt }}\n", "{{ .Prompt }}"),
        ("FROM x\nno template", "FROM x\nno template"),
        ("{ not json", "{ not json"),
        ("[1]", "[1]"),
        (json.dumps({"chat_template": "{{ x }}"}), "{{ x }}"),
    ],
)
def test_template_in(text: str, wanted: str) -> None:
    assert template_in(text).text == wanted


def test_config() -> None:
    config: dict[str, object] = {
        "chat_template": [{"name": "default", "template": "a"}, {"name": "tool_use", "template": "b"}],
        "eos_token": {"content": "<|end|>"},
        "bos_token": "<s>",
        "pad_token": None,
        "response_template": {"fields": {}},
    }
    found = in_config(config)
    assert found.text == "b"
    assert found.variables == {"bos_token": "<s>", "eos_token": "<|end|>"}
    assert found.response_template == {"fields": {}}
    config["chat_template"] = [{"name": "rag", "template": "c"}]
    assert in_config(config).text == "c"


@pytest.mark.parametrize("given", [None, [], 3])
def test_config_without_a_template(given: object) -> None:
    with pytest.raises(TemplateError, match="no chat_template"):
        in_config({"chat_template": given})
