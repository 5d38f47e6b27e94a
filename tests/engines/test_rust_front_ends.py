"""The front ends in Rust that vLLM and SGLang ship: neither loads plugins of Python, and the pages say what they do.

`nox -s rust_front_ends` fetches both wheels (some 400 MB) and names their files; here the tests skip otherwise.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

VLLM = os.environ.get("TOOLGLEAN_VLLM_RS", "")
SGLANG = os.environ.get("TOOLGLEAN_SGLANG_SERVER", "")
PAGES = Path(__file__).parents[2] / "docs" / "how-to"
NOT_HERE = "needs the wheels: nox -s rust_front_ends"


def _page(name: str) -> str:
    return " ".join((PAGES / name).read_text(encoding="utf-8").split())


def test_the_pages_say_so_and_name_the_proxy() -> None:
    vllm, sglang = _page("vllm.md"), _page("sglang.md")
    assert "VLLM_USE_RUST_FRONTEND=1" in vllm
    assert "tool parser `toolglean` is not registered" in vllm
    assert "SGLANG_RUST_SERVER=1" in sglang
    assert "tool-call parser `toolglean` is not supported" in sglang
    for page in (vllm, sglang):
        assert "(proxy.md)" in page


@pytest.mark.skipif(not VLLM, reason=NOT_HERE)
@pytest.mark.parametrize(("flag", "what"), [("--tool-call-parser", "tool"), ("--reasoning-parser", "reasoning")])
def test_vllm_exits(flag: str, what: str, tmp_path: Path) -> None:
    command = [VLLM, "render", str(tmp_path), flag, "toolglean"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode == 1
    assert f"{what} parser `toolglean` is not registered" in run.stdout + run.stderr


SERVE = """
import importlib.util, os, sys, urllib.error, urllib.request
spec = importlib.util.spec_from_file_location("_server", sys.argv[1])
server = importlib.util.module_from_spec(spec)
spec.loader.exec_module(server)
model = server.ModelConfig(context_len=128, vocab_size=256, is_multimodal=False, model_type="qwen3",
    default_sampling_params=server.DefaultSamplingParams())
arguments = dict.fromkeys(server.ServerArgs.__text_signature__.strip("()*, ").replace(",", " ").split())
arguments |= eval(sys.argv[2]) | {"model_config": model, "disaggregation_mode": server.DisaggregationMode.Null}
running = server.Server(server.ServerArgs(**arguments))
asked = urllib.request.Request(f"http://127.0.0.1:{arguments['port']}/v1/chat/completions", sys.argv[3].encode(),
    {"Content-Type": "application/json"})
try:
    urllib.request.urlopen(asked, timeout=20)
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode(), flush=True)
os._exit(0)
"""


def _tokenizer(folder: Path) -> None:
    # Of bytes, as byte-level BPE names them.
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [each for each in range(256) if each not in plain]
    letters = [*map(chr, plain), *(chr(256 + place) for place in range(len(others)))]
    bpe: dict[str, Any] = {"type": "BPE", "vocab": {each: place for place, each in enumerate(letters)}, "merges": []}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    made = {"version": "1.0", "added_tokens": [], "pre_tokenizer": level, "decoder": level, "model": bpe}
    template = "{% for m in messages %}{{ m.content }}{% endfor %}"
    files = {
        "tokenizer.json": made,
        "tokenizer_config.json": {"tokenizer_class": "PreTrainedTokenizerFast", "chat_template": template},
        "config.json": {"model_type": "qwen3", "vocab_size": 256},
    }
    for name, contents in files.items():
        (folder / name).write_text(json.dumps(contents), encoding="utf-8")


@pytest.mark.skipif(not SGLANG, reason=NOT_HERE)
def test_sglang_refuses_requests_with_tools(tmp_path: Path) -> None:
    _tokenizer(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    switches = ("stream_response_default_include_usage", "skip_tokenizer_init", "enable_request_header_overrides")
    more = ("incremental_streaming_output", "enable_strict_thinking", "allow_auto_truncate")
    arguments = {
        **dict.fromkeys((*switches, *more, "enable_return_hidden_states"), False),
        **dict.fromkeys(("num_reserved_tokens", "load_snapshot_dp_size", "load_snapshot_dp_rank"), 0),
        "num_accelerators": 0,
        **dict.fromkeys(("model_path", "tokenizer_path"), str(tmp_path)),
        **dict.fromkeys(("default_chat_template_kwargs", "deployment_info", "launch_server_info"), "{}"),
        "served_model_name": "m",
        "load_format": "auto",
        "weight_version": "default",
        "log_level": "error",
        "hicache_storage_prefetch_policy": "best_effort",
        "hicache_write_policy": "write_through",
        "host": "127.0.0.1",
        "port": port,
        "version": "0",
        "tool_call_parser": "toolglean",
        "tokenizer_worker_num": 1,
        "detokenizer_worker_num": 1,
        "skip_server_warmup": True,
        "health_generate_headers": {},
        "lora_ids": {},
        "limit_mm_data_per_request": [],
        "tokenizer_model_max_length": 128,
        "max_total_num_tokens": 1000,
    }
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "tools": tools}
    command = [sys.executable, "-c", SERVE, SGLANG, repr(arguments), json.dumps(body)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    answer = next((line for line in run.stdout.splitlines() if line.startswith("400 ")), run.stdout + run.stderr)
    assert "tool-call parser `toolglean` is not supported" in answer
