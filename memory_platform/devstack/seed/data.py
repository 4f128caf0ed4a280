"""People of the demo world and their messages: fictional, in English and Chinese."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SeedTalk:
    """One conversation: (role, text) pairs, the user's first."""

    conversation_id: str
    turns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SeedAnswer:
    """One turn for which memory helped: the question, the reply, and the user's next message."""

    conversation_id: str
    query: str
    reply: str
    next: str


@dataclass(frozen=True, slots=True)
class SeedSubject:
    """One subject, by the product's own id: past conversations, oldest first, then the answered questions."""

    subject_id: str
    talks: tuple[SeedTalk, ...]
    answers: tuple[SeedAnswer, ...] = ()


@dataclass(frozen=True, slots=True)
class SeedStaff:
    """A staff member's tenant and role."""

    tenant: str
    role: str


# Staff by user name, each in one tenant; the operator belongs to none.
STAFF = {
    "sam": SeedStaff("acme", "support"),
    "mia": SeedStaff("acme", "manager"),
    "olga": SeedStaff("globex", "support"),
}


@dataclass(frozen=True, slots=True)
class SeedTenant:
    """One tenant of the demo world."""

    slug: str
    name: str
    subjects: tuple[SeedSubject, ...]


ADA = SeedSubject(
    "ada",
    (
        SeedTalk(
            "first-drive",
            (
                ("user", "Hi, I'm Ada. I'm a software engineer and I live in Portland."),
                ("assistant", "Nice to meet you, Ada. Shall I remember where home is?"),
                ("user", "Yes, my home is at 12 Willow Lane, Portland."),
                ("assistant", "Got it: home is 12 Willow Lane."),
                ("user", "And my office is at 400 Harbor Street, Portland."),
                ("assistant", "Saved as your office."),
                ("user", "From now on please avoid highways when you navigate, I get nervous on them."),
                ("assistant", "I will plan your routes without highways."),
            ),
        ),
        SeedTalk(
            "lunch",
            (
                ("user", "I'm allergic to peanuts, so keep that in mind when you suggest restaurants."),
                ("assistant", "I will leave out anything with peanuts."),
                ("user", "I like spicy Sichuan food. Not today though, something light please."),
                ("assistant", "There is a noodle place two streets away."),
            ),
        ),
        SeedTalk(
            "weekend",
            (
                ("user", "My sister Grace visits on Saturday, her train arrives at Union Station."),
                ("assistant", "Shall I plan the way to Union Station for Saturday morning?"),
                ("user", "Yes please. She loves jazz, so play some in the car."),
                ("assistant", "Jazz it is."),
                ("user", "I think I like the AC at 22 degrees."),
                ("assistant", "22 degrees."),
                ("user", "Hm, I think I like the AC at 24 degrees."),
                ("assistant", "24 degrees."),
            ),
        ),
    ),
    (
        SeedAnswer(
            "way-home",
            "Navigate home, please.",
            "Driving to 12 Willow Lane, Portland, without highways.",
            "Perfect, thank you!",
        ),
        SeedAnswer(
            "lunch-again",
            "Where could we have lunch?",
            "The satay house: spicy, with a peanut sauce.",
            "No, I told you that I'm allergic to peanuts.",
        ),
    ),
)

LIN = SeedSubject(
    "lin-yue",
    (
        SeedTalk(
            "第一次用车",
            (
                ("user", "你好,我叫林悦,我是程序员。"),
                ("assistant", "你好,林悦。要我记住你的家庭地址吗?"),
                ("user", "好的,我家在上海市浦东新区锦绣路100号。"),
                ("assistant", "记住了。"),
                ("user", "我公司在上海市徐汇区漕溪北路88号。"),
                ("assistant", "已保存为公司地址。"),
                ("user", "以后别走延安高架,早上太堵了。"),
                ("assistant", "好的,以后会避开延安高架。"),
            ),
        ),
        SeedTalk(
            "晚饭",
            (
                ("user", "我对花生过敏,推荐餐厅的时候注意一下。"),
                ("assistant", "好的,会避开含花生的菜。"),
                ("user", "我喜欢吃川菜,今天不想吃辣。"),
                ("assistant", "那今天推荐一家清淡的面馆。"),
            ),
        ),
    ),
    (
        SeedAnswer(
            "回家",
            "导航回家",
            "好的,去浦东新区锦绣路100号,不走延安高架。",
            "太好了,谢谢!",
        ),
    ),
)

GIL = SeedSubject(
    "gil",
    (
        SeedTalk(
            "hello",
            (
                ("user", "I'm Gil, a night nurse at Mercy Hospital."),
                ("assistant", "Hello Gil."),
                ("user", "My home is at 7 Quarry Road, Leeds. Always take the fastest route, I use the motorway."),
                ("assistant", "Fastest route it is."),
            ),
        ),
    ),
)

WORLD = (
    SeedTenant("acme", "Acme Motors", (ADA, LIN)),
    SeedTenant("globex", "Globex Health", (GIL,)),
)
