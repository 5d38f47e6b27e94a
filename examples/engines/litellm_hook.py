"""A hook for litellm's proxy: calls that a model left in its text become tool calls.

Put this file next to config.yaml, which names it:

    litellm_settings:
      callbacks: litellm_hook.toolglean

Needs `python -m pip install . 'litellm[proxy]'` in a checkout.
"""

from collections.abc import AsyncIterator
from typing import Any

from litellm.integrations.custom_logger import CustomLogger
from litellm.types.utils import ModelResponse, ModelResponseStream

from toolglean.clients.chat import adict_chunks, dict_completion
from toolglean.clients.repair import Repair

REPAIR = Repair()  # or, if all your models write the same format: Repair(format="hermes")


class Toolglean(CustomLogger):
    """Repairs the answers of the chat API, whole and streamed."""

    async def async_post_call_success_hook(self, data: dict[str, Any], user_api_key_dict: Any, response: Any) -> Any:
        asked = REPAIR.asked("chat", data)  # None: no tools, or tool_choice is "none"
        if asked is not None and isinstance(response, ModelResponse):
            repaired = dict_completion(response.model_dump(), asked.tools, **asked.parsing)
            response.choices = ModelResponse(**repaired).choices
        return response

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: AsyncIterator[Any], request_data: dict[str, Any]
    ) -> AsyncIterator[Any]:
        asked = REPAIR.asked("chat", request_data)
        # Events of other APIs are passed through.
        chunks = (
            each.model_dump(exclude_none=True) if isinstance(each, ModelResponseStream) else each
            async for each in response
        )
        async for chunk in response if asked is None else adict_chunks(chunks, asked.tools, **asked.parsing):
            yield ModelResponseStream(**chunk) if isinstance(chunk, dict) else chunk


toolglean = Toolglean()
