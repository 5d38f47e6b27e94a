# What this file knows: a file that grows by whole pieces of lines, plain or compressed, and what of it is whole.
# What it must not know: what the lines say.
#
# A compressed piece is a stream of its own (a member in gzip, a frame in zstd); readers of either take such streams in
# a row for one. So a piece can be added to a file without reading what stands in it, and what a kill left of the last
# one can be told from the whole ones before it. In a plain file each line is whole or not.
"""Output that can be cut off anywhere, and goes on from there."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self

from toolglean.cli.logs.extras import zstd
from toolglean.cli.options import InputError

__all__ = ["Codec", "Pieces", "codec_of"]

BLOCK = 1 << 16


class Codec(NamedTuple):
    """How pieces are stored: what compresses one, what makes a decompressor for one, and what that raises."""

    compress: Callable[[bytes], bytes]
    decompressor: Callable[[], Any]
    error: type[Exception]


def codec_of(path: Path) -> Codec | None:
    """How the pieces of a file of that name are stored; None: as they are.

    Raises:
        InputError: what it needs is not installed.
    """
    if path.suffix == ".gz":
        # Without the time, so that the same rows are the same bytes.
        return Codec(lambda piece: gzip.compress(piece, 6, mtime=0), lambda: zlib.decompressobj(wbits=31), zlib.error)
    if path.suffix in {".zst", ".zstd"}:
        library = zstd(str(path))
        return Codec(library.compress, library.ZstdDecompressor, library.ZstdError)
    return None


class Pieces:
    """Such a file. A context manager.

    Args:
        path: the file.
        fresh: whether to make it. Otherwise `lines` must be read to its end before anything is added.

    Raises:
        InputError: the file cannot be opened, or it is there and `fresh` is true and it holds something.
    """

    def __init__(self, path: Path, *, fresh: bool) -> None:
        self._path = path
        self._codec = codec_of(path)
        try:
            self._file: BinaryIO = path.open("ab+" if fresh else "rb+", buffering=0)
            if fresh and self._file.seek(0, os.SEEK_END):
                self._file.close()
                raise InputError(
                    f"--output {path}: there is such a file already: go on with it by --resume, or give another name"
                )
        except OSError as error:
            raise InputError(f"--output {path}: {error.strerror or error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def lines(self) -> Iterator[bytes]:
        """The whole lines. At the end, what stands behind them is cut off, and the file is ready to grow.

        Raises:
            InputError: something that is no piece stands before the end.
        """
        self._file.seek(0)
        end = 0
        for whole, piece in self._whole_pieces():
            yield from piece
            end = whole
        self._file.truncate(end)
        self._file.seek(end)

    def add(self, piece: bytes) -> None:
        """Add whole lines.

        Raises:
            OSError: they cannot be written.
        """
        if not piece:
            return
        rest = memoryview(piece if self._codec is None else self._codec.compress(piece))
        while rest:  # without a buffer, a write may be a part of what was asked for
            rest = rest[self._file.write(rest) :]

    def sync(self) -> None:
        """Wait until all of it is on the disk."""
        os.fsync(self._file.fileno())

    def _whole_pieces(self) -> Iterator[tuple[int, list[bytes]]]:
        return self._plain_lines() if self._codec is None else self._streams(self._codec)

    def _plain_lines(self) -> Iterator[tuple[int, list[bytes]]]:
        end = 0
        with self._path.open("rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    end += len(line)
                    yield end, [line]

    def _streams(self, codec: Codec) -> Iterator[tuple[int, list[bytes]]]:
        """Each whole stream, and where it ends. One that breaks off is the last, and is left out."""
        place, data, found = 0, b"", bytearray()
        stream = codec.decompressor()
        while data or (data := self._file.read(BLOCK)):
            place += len(data)
            try:
                found += stream.decompress(data)
            except codec.error as error:
                raise InputError(
                    f"--output {self._path}: cannot be read before byte {place}: {error}; give another name"
                ) from error
            data = b""
            if stream.eof:
                data = stream.unused_data
                place -= len(data)
                yield place, bytes(found).splitlines(keepends=True)
                found.clear()
                stream = codec.decompressor()
