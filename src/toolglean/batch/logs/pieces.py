# A file that grows by whole pieces of lines, plain or compressed, and how much of it is whole. Does not depend on what
# the lines contain.
#
# A compressed piece is a stream of its own (a member in gzip, a frame in zstd); readers of either format read several
# such streams as one. So a piece can be added to a file without reading it, and an incomplete last piece, which a kill
# left, can be told from the whole ones before it. In a plain file the unit is the line.
"""Output that can be cut off anywhere and continued from there."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self

from toolglean.batch.lines import InputError
from toolglean.batch.logs.extras import zstd

__all__ = ["Codec", "Pieces", "codec_of"]

BLOCK = 1 << 16


class Codec(NamedTuple):
    """How pieces are stored: a function that compresses one, one that makes a decompressor, and the error of that."""

    compress: Callable[[bytes], bytes]
    decompressor: Callable[[], Any]
    error: type[Exception]


def codec_of(path: Path, name: str) -> Codec | None:
    """How the pieces of a file are stored; None: uncompressed.

    Args:
        path: the file, whose suffix decides.
        name: the name of the file in messages.

    Raises:
        InputError: the package for it is not installed.
    """
    suffix = path.suffix.lower()
    if suffix == ".gz":
        # Without the time, so that the same rows are the same bytes.
        return Codec(lambda piece: gzip.compress(piece, 6, mtime=0), lambda: zlib.decompressobj(wbits=31), zlib.error)
    if suffix in {".zst", ".zstd"}:
        library = zstd(name)
        return Codec(library.compress, library.ZstdDecompressor, library.ZstdError)
    return None


class Pieces:
    """The pieces of a file. A context manager.

    Args:
        path: the file.
        name: the name of the file in messages.
        is_new: whether to create it. Otherwise `lines` must be read to its end before anything is added.

    Raises:
        InputError: the file cannot be opened, or `is_new` is true and the file exists and is not empty.
    """

    def __init__(self, path: Path, *, name: str, is_new: bool) -> None:
        self._path = path
        self._name = name
        self._codec = codec_of(path, name)
        try:
            self._file: BinaryIO = path.open("ab+" if is_new else "rb+", buffering=0)
            if is_new and self._file.seek(0, os.SEEK_END):
                self._file.close()
                raise InputError(f"{name}: the file already exists: continue it with --resume, or choose another name")
        except OSError as error:
            raise InputError(f"{name}: {error.strerror or error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def lines(self) -> Iterator[bytes]:
        """The whole lines. After the last one, an incomplete rest is cut off, and pieces can be added.

        Raises:
            InputError: something before the end is not a piece.
        """
        self._file.seek(0)
        end = 0
        for whole, piece in self._plain_lines() if self._codec is None else self._streams(self._codec):
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
        while rest:  # without a buffer, a write may write less than it was given
            rest = rest[self._file.write(rest) :]

    def sync(self) -> None:
        """Wait until all of the file is on the disk."""
        os.fsync(self._file.fileno())

    def _plain_lines(self) -> Iterator[tuple[int, list[bytes]]]:
        end = 0
        with self._path.open("rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    end += len(line)
                    yield end, [line]

    def _streams(self, codec: Codec) -> Iterator[tuple[int, list[bytes]]]:
        """Each whole stream, and where it ends. A stream that breaks off is the last one, and is left out."""
        place, data, found = 0, b"", bytearray()
        stream = codec.decompressor()
        while data or (data := self._file.read(BLOCK)):
            place += len(data)
            try:
                found += stream.decompress(data)
            except codec.error as error:
                raise InputError(
                    f"{self._name}: not readable before byte {place}: {error}; choose another name"
                ) from error
            data = b""
            if stream.eof:
                data = stream.unused_data
                place -= len(data)
                yield place, bytes(found).splitlines(keepends=True)
                found.clear()
                stream = codec.decompressor()
