r"""OpenAI's batch output: a critic's answers, a line a request, in any order.

Line: `id, custom_id, response{status_code, request_id, body}, error`; the body is a chat completion, `model,
choices[{message{content, reasoning_content, refusal}, finish_reason}], usage{prompt_tokens, completion_tokens}`, or, of
requests to `/v1/responses`, `model, output[{type: message, content[{type: output_text, text}]}], incomplete_details,
usage{input_tokens, output_tokens}`, as servers and clients of that interface have it. vLLM's `run-batch` writes the
same. Rows in the documented shape were tried, and no batch of anybody's.

Of what was asked nothing is repeated: `custom_id`, chosen by whoever asked, names the case where it is its id; else the
batch's input, `custom_id, method, url, body{model, messages}` a line, has to lie beside the output, as a file of JSON
Lines in the same folder, and its prompts have to be of ProcessBench's form.

Several choices of a request vote. Answers are read by the parser of the benchmark they are about. A request that failed
has the reason that the service gave.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from scoring.data.storage.files import open_plain
from scoring.formats.reading.fields import Fields
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.rows import Rows
from scoring.formats.results.model_outputs import message_text
from scoring.formats.results.prompted import ANSWERS, asked_case, case_of_prompts, texts_of_messages, without_answer
from scoring.formats.results.result_format import (
    SCORER,
    ExternalResults,
    ResultFormat,
    ResultReader,
    ResultRecord,
    ResultRow,
    Results,
    case_id,
    whole_records,
)
from scoring.formats.results.scorer_names import scorer_name

TITLE = "OpenAI batch output"
MOST_BESIDE = 40
"""Files of a folder that are looked at for the batch's input: a batch's folder holds few."""
LARGEST_INPUT = 512 * 1024 * 1024
"""Bytes of such a file that is read; OpenAI takes no batch above 200 MB."""
_LINE = frozenset({"custom_id", "response", "error"})
_REQUEST = frozenset({"custom_id", "method", "url", "body"})
_NO_TEXT = "the model gave no text"


# -- lines of a batch, whatever was asked for


def is_batch_line(row: ResultRecord) -> bool:
    """Return whether a row is a line of a batch's output."""
    return row.keys() >= _LINE


def batch_body(row: ResultRecord) -> ResultRecord:
    """Return what the service answered; empty where it did not, and the row itself if it is no line of a batch."""
    if not is_batch_line(row):
        return row
    response = row["response"]
    body = response.get("body") if isinstance(response, Mapping) else None
    return body if isinstance(body, Mapping) else {}


def request_failure(fields: Fields) -> str | None:
    """Say why a request failed; None where it did not, and of a row that is no line of a batch."""
    if not is_batch_line(fields.value):
        return None
    response, error = fields.inside("response"), fields.value["error"]
    status = response.value.get("status_code", 200)
    if error is None and status == 200:
        return None
    failure = error if error is not None else batch_body(fields.value).get("error")
    message = failure.get("message") if isinstance(failure, Mapping) else failure
    words = fields.of({"error": message if isinstance(message, str) else "no reason given"}).text("error")
    code = f" with status {status}" if type(status) is int and 200 < status < 1000 else ""
    return f"the request failed{code}: {words}"


# -- answers


def recognises(row: Any) -> bool:
    """Return whether a row is a line of a batch with a chat completion, or with a response."""
    if not isinstance(row, Mapping) or not is_batch_line(row):
        return False
    body = batch_body(row)
    return isinstance(body.get("choices"), list) or isinstance(body.get("output"), list)


def load(rows: Rows) -> list[ExternalResults]:
    """Read the answers of each model in the source; the texts that they are about come from the input beside it."""
    prompts = _Prompts(rows)
    first, *others = ResultFormat(
        title=TITLE,
        layout=whole_records(lambda fields: _result(fields, prompts), answers=ANSWERS, **{SCORER: pl.String()}),
        columns={"answers": pl.col("answers")},
        scorer=pl.col(SCORER),
        conclude=_concluded,
        named=_named,
        votes="answers",
    ).load(rows)
    if prompts.read_of:
        showing = f"{len(prompts.cases):,} of them show a case"
        message = f"the batch's input, {prompts.read_of}, lies beside it: {prompts.read:,} prompts, {showing}"
        first = msgspec.structs.replace(
            first, findings=(*first.findings, Finding("note", "batch-input", message, first.source))
        )
    return [first, *others]


def _model(row: Any) -> str | None:
    name = batch_body(row).get("model") if isinstance(row, Mapping) else None
    return name.encode(errors="replace").decode() if isinstance(name, str) and name.strip() else None


def _named(rows: Rows) -> str:
    """What a model is called whose answer does not say it, such as one that failed: as the first one that does."""
    return next(filter(None, (_model(row.value) for row in rows.rows)), scorer_name(rows.source))


def _concluded(results: Results) -> dict[str, Any]:
    votes = results.rows["vote"].max()
    settings = {"harness": "OpenAI batch", "votes": votes + 1 if isinstance(votes, int) else 0}
    return {"kind": "critic", "reads_answers": True, "settings": settings}


def _result(fields: Fields, prompts: "_Prompts") -> ResultRow:
    case_id(fields, "custom_id", required=False)
    row: ResultRow = {SCORER: _model(fields.value)}
    prompt = prompts.cases.get(str(fields.value.get("custom_id")))
    if prompt is not None:
        row |= case_of_prompts(fields, [prompt])
    elif fields.case is None:
        fields.note("warning", "no-id", "the line has no custom_id that names its case")
    failure = request_failure(fields)
    return row | {"answers": without_answer(fields, failure) if failure is not None else _answers(fields)}


def _answers(fields: Fields) -> list[ResultRow]:
    body = fields.of(batch_body(fields.value))
    if isinstance(body.value.get("output"), list):
        return [_of_response(body)]
    choices = body.value.get("choices")
    if not isinstance(choices, list) or not choices:
        return without_answer(fields, _NO_TEXT)
    first = _tokens(body, "prompt_tokens", "completion_tokens")
    # The first one has the tokens of the whole call.
    others = {column: None if count is None else 0 for column, count in first.items()}
    return [_answer(fields.of(choice)) | (others if place else first) for place, choice in enumerate(choices)]


def _tokens(body: Fields, prompt: str, answer: str) -> dict[str, int | None]:
    usage = body.inside("usage").value
    counts = {"tokens_in": usage.get(prompt), "tokens_out": usage.get(answer)}
    return {name: n if type(n) is int and 0 <= n < 2**63 else None for name, n in counts.items()}


def _of_response(body: Fields) -> ResultRow:
    """The answer in what `/v1/responses` gives: all that its messages say."""
    items = [item for item in body.value["output"] if isinstance(item, Mapping)]
    parts = {
        kind: [part.get(key) for item in items for part in _parts(item, holder) if part.get("type") == kind]
        for kind, holder, key in (
            ("output_text", "content", "text"),
            ("refusal", "content", "refusal"),
            ("summary_text", "summary", "text"),
        )
    }
    texts = {kind: "\n".join(text for text in words if isinstance(text, str)) or None for kind, words in parts.items()}
    cut = body.inside("incomplete_details").text("reason")
    message = {"content": texts["output_text"], "reasoning": texts["summary_text"], "refusal": texts["refusal"]}
    finished = "length" if cut == "max_output_tokens" else cut
    answer = _answer(body.of({"message": message, "finish_reason": finished}))
    return answer | _tokens(body, "input_tokens", "output_tokens")


def _parts(item: Mapping[str, Any], holder: str) -> list[Mapping[str, Any]]:
    parts = item.get(holder)
    return [part for part in parts if isinstance(part, Mapping)] if isinstance(parts, list) else []


def _answer(choice: Fields) -> ResultRow:
    message = choice.inside("message")
    words = choice.of(
        {
            "content": message_text(message.value),
            "reasoning": message.value.get("reasoning_content") or message.value.get("reasoning"),
            "refusal": message.value.get("refusal"),
        }
    )
    answer, reasoning, refusal = words.text("content"), words.text("reasoning"), words.text("refusal")
    if answer is None and reasoning and not refusal:
        # It reasoned and then said nothing: an answer came, and cannot be read.
        answer = ""
    reason = f"the model refused: {refusal}" if refusal else _NO_TEXT
    return {
        "answer": answer,
        "reasoning": reasoning,
        "finish_reason": choice.text("finish_reason"),
        "reason": None if answer is not None else reason,
    }


# -- the input beside the output


class _Prompts:
    """Prompts by `custom_id` that show a case, of the file beside the output which has the requests of its lines."""

    def __init__(self, rows: Rows) -> None:
        self.cases: dict[str, str] = {}
        self.read_of = ""
        self.read = 0
        if rows.path is None:
            return
        wanted = {str(row["custom_id"]) for row in rows.sample() if isinstance(row, Mapping) and "custom_id" in row}
        for path in islice(_lines_beside(rows.path), MOST_BESIDE):
            requests = dict(_requests(path))
            if wanted and wanted <= requests.keys():
                self.read_of, self.read = path.name, len(requests)
                self.cases = {name: prompt for name, prompt in requests.items() if prompt}
                return


def _lines_beside(output: Path) -> Iterator[Path]:
    """Other files of JSON Lines in the folder whose first line is a request."""
    try:
        files = sorted(path for path in output.parent.glob("*.jsonl") if path.name != output.name)
        for path in files:
            if path.is_file() and path.stat().st_size <= LARGEST_INPUT and any(_requests(path)):
                yield path
    except OSError:
        return


def _requests(path: Path) -> Iterator[tuple[str, str]]:
    """(custom_id, its last prompt that shows a case, "" = none does) of the lines, up to the first that is none."""
    try:
        with open_plain(path) as lines:
            for line in lines:
                request = msgspec.json.decode(line)
                if not isinstance(request, dict) or not request.keys() >= _REQUEST:
                    return
                body = request["body"] if isinstance(request["body"], dict) else {}
                texts = texts_of_messages(body.get("messages") or body.get("input") or body.get("prompt"))
                showing = [text for text in texts if asked_case(text) is not None]
                yield str(request["custom_id"]), showing[-1] if showing else ""
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return


READERS = {"openai_batch": ResultReader(TITLE, recognises, load)}
