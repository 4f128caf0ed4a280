"""A text of pieces, each in its frames, and where each candidate stands in it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import takewhile

from snapshots.context.token_budget import CountedPiece, Frames
from snapshots.context.values import MemoryItem, Passage


@dataclass(slots=True)
class PromptText:
    """A text in the making, and the span of each candidate by its piece's id."""

    text: str = ""
    spans: dict[int, tuple[int, int]] = field(default_factory=dict)

    def add_pieces(self, pieces: Iterable[CountedPiece]) -> "PromptText":
        """Append pieces, those of the same frames inside of them; return itself."""
        within: Frames = ()
        for piece in pieces:
            self._switch_frames(within, piece.frames)
            within = piece.frames
            start = len(self.text)
            self.text += piece.text
            if isinstance(piece.origin, MemoryItem | Passage):
                self.spans[id(piece)] = (start, start + len(piece.text.rstrip("\n")))
        self._switch_frames(within, ())
        return self

    def _switch_frames(self, before: Frames, after: Frames) -> None:
        """Close the frames that end, and open those that begin."""
        both = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
        self.text += "".join(frame.closing for frame in reversed(before[both:]))
        self.text += "".join(frame.opening for frame in after[both:])

    def strip_line_ends(self) -> "PromptText":
        """Return the same without line ends at both ends."""
        cut = len(self.text) - len(self.text.lstrip("\n"))
        moved = {piece: (start - cut, end - cut) for piece, (start, end) in self.spans.items()}
        return PromptText(self.text.strip("\n"), moved)
