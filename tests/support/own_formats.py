# Formats of no family, whose parameters are written in ways that the library's formats do not need: JSON values, values
# that end with their line or at a separator, keys without a marker, keys of the calls' own, pairs, and objects of scripts.
"""Formats of users, for tests and fuzzers."""

from __future__ import annotations

from toolglean import Format, Pairs, ScriptObject

__all__ = ["OWN_FORMATS", "own_format"]

OWN_FORMATS = (
    Format("own:lines", call="<tool>\nname: {name}\n{parameters}</tool>", parameter="{key}: {value}\n"),
    Format("own:json lines", call="<run {name}>\n{parameters}</run>", parameter="{key}: {json}\n"),
    Format("own:list", call="[call {name}]\n{parameters}[end call]", parameter="- {key}: {value}\n"),
    Format("own:joined lines", call="<tool>{name}\n{parameters}\n</tool>", parameter="{key}={value}", parameter_separator="\n"),
    Format("own:json", call="<call={name}>{parameters}</call>", parameter="<arg={key}>{json}</arg>"),
    Format("own:json or text", call="<do {name}>{parameters}</do>", parameter=("<a {key}>{json}</a>", "<a {key}>{value}</a>")),
    Format("own:semicolons", call="@call {name} {parameters}@end", parameter="{key}={json};"),
    Format("own:separated", call="<c>{name}|{parameters}</c>", parameter="{key}={value}", parameter_separator="; "),
    Format("own:attributes", call="<use {name} {parameters}/>", parameter='{key}="{value}"', parameter_separator=" "),
    Format("own:one-sided", call="<fn={name}>\n{parameters}</fn>", parameter="<p={key}>{value}\n</p>\n"),
    Format("own:other side", call="<fn={name}>\n{parameters}</fn>", parameter="<p={key}>\n{value}</p>\n"),
    Format("own:children", call="<do:{name}>{parameters}</do>", parameter="<{key}>{value}</{key}>"),
    Format("own:child lines", call="<do {name}>\n{parameters}</do>", parameter="<{key}>\n{value}\n</{key}>\n"),
    # What closes the section, or opens the next call, begins like a parameter, `<`: every call was malformed.
    Format("own:section of children", section=("<calls>", "</calls>"), call="<do {name}>{parameters}</do>", parameter="<{key}>{value}</{key}>"),
    Format("own:json children", call="<do:{name}>{parameters}</do>", parameter="<{key}>{json}</{key}>"),
    Format("own:yaml list", section=("<calls>", "</calls>"), call="- name: {name}\n{parameters}", parameter="  {key}: {json}\n"),
    Format("own:until next", call="CALL {name}\n{parameters}<eot>", parameter="{key}: {value}\n", drop=("<eot>",)),
    Format("own:options", call="@run {name}{parameters} @end", parameter=" --{key} {json}"),
    Format("own:signs", call="<<{name}>>\n{parameters}<</>>", parameter='<param name="{key}">\n{value}\n</param>\n'),
    Format("own:spaced", call="[call {name}]\n{parameters}[end call]", parameter="* {key} = {value}\n"),
    # The closer's last word, `-`, begins its first one: a call ended within the closer, and the rest of it was content.
    Format("own:dashes", call="--- {name} -\n{parameters}--- end -", parameter="{key}: {value}\n"),
    # The closer is what begins a comment behind arguments.
    Format("own:comment", call="@{name} {arguments}##"),
    Format("own:numbered", call="#{index} {name} => {parameters}#end", parameter="{key}: {json}\n"),
    Format("own:keys", call="<go>{call}</go>", keys=("fn", "kw")),
    Format("own:bare keys", call="{call}", keys=("tool", "payload")),
    Format("own:listed keys", section=("<<", ">>"), call="{calls}", keys=("do", "with"), reasoning=("<mull>", "</mull>")),
    Format("own:pairs", call="@{name}\n{arguments}\n@end", arguments=Pairs("{key}: {value}", "\n")),
    Format("own:flags", call="<<{name} {arguments}>>", arguments=Pairs("--{key} {value}", quoted=True)),
    Format("own:arrows", call="(( {name} :: {arguments} ))", arguments=Pairs("{key} => {value}", ", ", quoted=True), registered_only=True),
    Format("own:closed keys", call="<<{name}>>{arguments}<</>>", arguments=Pairs("[{key}]{value}[/{key}]", "")),
    Format("own:open pairs", call="<|fn|>{name}{arguments}<|/fn|>", arguments=Pairs("<|k|>{key}<|v|>{value}", "")),
    Format("own:script", call="<<{name} {arguments}>>", arguments=ScriptObject(), reasoning=("<mull>", "</mull>")),
    Format("own:python", call="‹tool›{'tool': '{name}', 'args': {arguments}}‹/tool›", arguments=ScriptObject()),
)  # fmt: skip


def own_format(name: str) -> Format | None:
    """The format of that name; None if there is none."""
    return next((each for each in OWN_FORMATS if each.name == name), None)
