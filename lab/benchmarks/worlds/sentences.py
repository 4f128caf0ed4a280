"""Talks and questions, drawn from word lists by a seed: equal seeds say equal words on every machine."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from random import Random

# Messages of one talk.
TURNS = 20

# Talks take turns: two English ones, then a Chinese one.
LANGUAGES = ("en", "en", "zh")

FIRST_TALK = datetime(2025, 3, 1, 8, 0, tzinfo=UTC)
BETWEEN_TALKS = timedelta(hours=7)
BETWEEN_TIMES = timedelta(minutes=2)


def _split_words(text: str, between: str | None = None) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(between))


# Who did what to a thing of which look, where and when: actions of others, from which no rule learns a belief.
WORDS = {
    "en": (
        _split_words(
            "Amara Bruno Celia Dmitri Elif Fatima Goran Hedda Ismail Jolanta Kenji Lucia Marek Nadia Otto Priya "
            "Quentin Rosa Samir Tove Ursula Viktor Wanda Ximena Yusuf Zofia"
        ),
        _split_words(
            "repaired painted photographed borrowed returned measured carried cleaned unpacked inspected polished "
            "sketched assembled labelled replaced weighed"
        ),
        _split_words("old copper striped borrowed narrow wooden silver crooked enormous faded spotless heavy"),
        _split_words(
            "bicycle telescope accordion lantern bookshelf kayak sewing-machine chessboard aquarium typewriter "
            "barometer hammock wheelbarrow projector sundial violin ladder greenhouse weathervane gramophone mosaic "
            "tapestry compass birdhouse canoe easel trellis generator signboard staircase"
        ),
        _split_words(
            "the harbour, the village school, a quiet courtyard, the railway museum, the lighthouse, the botanical "
            "garden, a mountain hut, the old mill, the market square, the ferry terminal, the observatory, the town "
            "library, a windy terrace, the abandoned quarry, the theatre cellar, the riverside workshop",
            ",",
        ),
        _split_words(
            "while the rain was drumming on the roof, before the guests arrived, after the parade had passed, with "
            "a neighbour holding the torch, during the long power cut, as the fog was lifting, between two "
            "thunderstorms, when the bells rang",
            ",",
        ),
    ),
    "zh": (
        _split_words(
            "王芳 李强 张敏 刘洋 陈静 杨帆 赵磊 黄丽 周涛 吴倩 徐峰 孙悦 马超 朱琳 胡军 郭雪 何平 高远 林岚 罗毅"
        ),
        _split_words("修理 粉刷 拍摄 借走 归还 测量 提走 擦拭 拆开 检查 打磨 描绘 组装 标记 更换 称量"),
        _split_words("旧 铜制 条纹 狭窄 木头 银色 歪斜 巨大 褪色 沉重"),
        _split_words(
            "自行车 望远镜 手风琴 灯笼 书架 皮划艇 缝纫机 棋盘 鱼缸 打字机 气压计 吊床 手推车 放映机 日晷 小提琴 "
            "梯子 温室 风向标 留声机"
        ),
        _split_words(
            "码头 村里的小学 安静的院子 铁路博物馆 灯塔 植物园 山间小屋 老磨坊 集市 渡口 天文台 图书馆 废弃的采石场 "
            "剧院地下室"
        ),
        _split_words(
            "外面正下着大雨 客人还没有到 游行队伍刚刚走过 邻居在旁边举着手电 "
            "那时正好停电 雾气慢慢散开 两场雷雨之间 直到钟声响起"
        ),
    ),
}
SENTENCES = {"en": "{} {} the {} {} at {} {}.", "zh": "{0}在{4}{1}了那个{2}的{3},{5}。"}
QUESTIONS = {
    "en": "What did {} or {} do with the {look} {} at {}?",
    "zh": "{0}或者{1}在{3}对那个{look}的{2}做了什么?",
}


@dataclass(frozen=True, slots=True)
class TalkTurn:
    text: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class WorldTalk:
    """One conversation of the pool, by its number."""

    number: int
    turns: tuple[TalkTurn, ...]

    @property
    def conversation_id(self) -> str:
        """The same talk has the same id in every subject that it is put into."""
        return f"talk-{self.number:05d}"


def make_talks(seed: int, count: int) -> list[WorldTalk]:
    """Return ``count`` talks whose sentences all differ; a longer pool begins with the shorter one."""
    random, said = Random(f"talks {seed}"), set[str]()  # noqa: S311 - a reproducible draw, no secret
    return [WorldTalk(number, tuple(_make_turns(random, number, said))) for number in range(count)]


def make_texts(seed: int, count: int) -> list[str]:
    """Return the first ``count`` messages of the talks."""
    said = (turn.text for talk in make_talks(seed, -(-count // TURNS)) for turn in talk.turns)
    return list(islice(said, count))


def make_questions(seed: int) -> Iterator[str]:
    """Yield questions without end, in the languages of the talks; hardly one comes twice."""
    random = Random(f"questions {seed}")  # noqa: S311 - a reproducible draw, no secret
    while True:
        for language in LANGUAGES:
            people, _, looks, things, places, _ = WORDS[language]
            drawn = [random.choice(words) for words in (people, people, things, places)]
            yield QUESTIONS[language].format(*drawn, look=random.choice(looks))


def _make_turns(random: Random, number: int, used_sentences: set[str]) -> Iterator[TalkTurn]:
    language = LANGUAGES[number % len(LANGUAGES)]
    began = FIRST_TALK + number * BETWEEN_TALKS
    for turn in range(TURNS):
        while (text := SENTENCES[language].format(*map(random.choice, WORDS[language]))) in used_sentences:
            pass  # every sentence is said once
        used_sentences.add(text)
        yield TalkTurn(text, began + turn * BETWEEN_TIMES)
