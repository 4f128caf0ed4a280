"""The numbers of the index of chunks, each with its source."""

from dataclasses import dataclass, field

from memory_platform.kernel.number_sources import assumed, measured, promised

_SIZES = "182 questions that are not held out, with other sizes; lab/notes/knowledge-speed.md"
_QUESTIONS = "56 questions over Node's documentation, half of them held out; lab/notes/knowledge-index.md"


@dataclass(frozen=True, slots=True)
class TermConfig:
    """BM25 of chunks. Chunks are cut to one size, so their usual length is a constant: an impact stays the same when
    other chunks come and go."""

    bm25_k1: float = promised(1.2)
    bm25_b: float = promised(0.75)
    # Terms of a usual chunk; of Chinese, where each character and each pair is a term.
    usual_length: float = assumed(60.0, owner="knowledge", settle_by="mean terms of chunks in production")
    usual_length_unspaced: float = assumed(300.0, owner="knowledge", settle_by="mean terms of chunks in production")
    # How often a term of the place (title and headings) counts beside those of the text.
    place_weight: float = measured(1.0, source=_QUESTIONS)
    # Terms that one chunk keeps, the strongest first.
    terms: int = assumed(4_000, owner="knowledge", settle_by="terms of the longest chunks")


@dataclass(frozen=True, slots=True)
class BlockConfig:
    """How postings are put into blocks. Chunks not in a block yet are fresh: a search reads them one by one."""

    # Positions of one segment, at most POSITIONS of posting_blocks.py.
    positions: int = measured(32_768, source=_SIZES)
    # Fresh chunks, or bytes of their terms, from which on they are sealed together.
    chunks: int = assumed(
        2_048, owner="knowledge", settle_by="512 among a million chunks; lab/notes/knowledge-speed.md"
    )
    term_bytes: int = assumed(2_000_000, owner="knowledge", settle_by="as that of chunks")
    # Blocks that the terms of a segment are spread over.
    buckets: int = measured(4_096, source=_SIZES)
    # Postings that a frequent term keeps in its strong block of a segment; the weaker ones stand in another block.
    strong: int = measured(128, source=_SIZES)


@dataclass(frozen=True, slots=True)
class CellConfig:
    """How vectors are put into cells of near ones."""

    # A cell that grows beyond it is split in two.
    vectors: int = measured(512, source=_SIZES)
    rounds: int = measured(8, source=_SIZES)
    # The smaller of two new cells has at least this share.
    least_share: float = measured(0.2, source=_SIZES)


@dataclass(frozen=True, slots=True)
class VectorConfig:
    """How the vector of a chunk is made."""

    # Of the place's vector, added to that of the text, which weighs 1.
    place_weight: float = measured(1.0, source=_QUESTIONS)


@dataclass(frozen=True, slots=True)
class WriteConfig:
    """How chunks are embedded."""

    batch: int = assumed(256, owner="knowledge", settle_by="time of one call of the slowest embedding service")


@dataclass(frozen=True, slots=True)
class IndexSizes:
    """The sizes of segments and cells, together."""

    blocks: BlockConfig = field(default=BlockConfig())
    cells: CellConfig = field(default=CellConfig())


TERMS = TermConfig()
BLOCKS = BlockConfig()
CELLS = CellConfig()
VECTORS = VectorConfig()
WRITES = WriteConfig()
SIZES = IndexSizes(BLOCKS, CELLS)
