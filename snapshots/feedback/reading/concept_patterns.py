"""Use of a memory that shows in none of its words: "no meat" for a vegetarian, 没超您的数 for a budget. Pure.

Each concept pairs how a memory speaks of something with how a reply shows that it took that into account. Words that
the question has show nothing.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Concept:
    """How memories name something, and how replies show that they respect it. Both match folded, simplified text."""

    memory_pattern: re.Pattern[str]
    reply_pattern: re.Pattern[str]


_PAIRS = (
    (
        r"\b(?:budget|cap|limit|at most|max\w*|no more than|spends?|pays?|up to)\b|预算|不超过|以内|最多|上限|左右",
        r"\b(?:under|within|inside|below|in|over|fits?) (?:your|the) (?:\w+ )?(?:budget|cap|limit|range|max|[$£€]?\d)|"
        r"预算(?:内|里|之内|以内)|[没不](?:有)?超|超不了|范围内",
    ),
    (
        r"\b(?:vegetarian|vegan|plant.based|no meat)\b|[吃食]素|素食|全素|不吃肉",
        r"\bno meat|meat.?(?:free|less)|\bveggie|\bvegetarian|\bvegan|plant.based|\btofu\b|\blentil|全素|"
        r"素[食菜的馆斋版]|[不无没](?:含|有)?肉|豆腐",
    ),
    (
        r"nut|almond|cashew|坚果|花生|腰果",
        r"nut.?free|no nuts|without nuts|[不无没](?:含|有)?(?:坚果|花生|腰果)|避开(?:坚果|花生)",
    ),
    (r"\bc(?:o)?eliac|gluten|麸质|乳糜泻", r"gluten.?free|no gluten|\btamari\b|[不无](?:含)?麸质"),
    (
        r"\blactose|\bdairy|\bmilk\b|乳糖|牛奶",
        r"dairy.?free|lactose.?free|no dairy|without (?:milk|cream|cheese|butter)|"
        r"\b(?:oat|soy|almond|coconut|rice) milk|\bcoconut\b|[不无没](?:含|放|有|加)?(?:乳|奶|芝士)|燕麦奶|豆奶|椰奶|"
        r"椰浆",
    ),
    (
        r"\bhighway|\bmotorway|\bfreeway|\btolls?\b|\bexpressway|高速|高架|收费|过路费",
        r"\b(?:side|back|surface) (?:street|road)s?|\bno (?:motorway|highway|toll|freeway)|\bskips? the|"
        r"\bavoid(?:s|ing)? the|toll.?free|地面|辅路|不上高|不走高|不收费|绕开|省道|国道",
    ),
    (r"\bspic|\bchil+i|\bmild\b|辣", r"\bmild\b|not spicy|no chil|\bfiery\b|\bspic|清淡|不辣|微辣|麻辣|够辣|特辣|辣得"),
    (
        r"\b(?:kids?|child(?:ren)?|son|daughter|toddler|baby|babies|twins)\b|孩子|儿子|女儿|娃|宝宝|小朋友",
        r"\b(?:high ?chairs?|toddlers?|strollers?|kid.friendly|kids'? menu|play ?grounds?|little ones?|playroom)\b|"
        r"宝宝椅|亲子|儿童|小朋友",
    ),
    (
        r"\bquiet|\bcrowd|\bnois|\bpeace|安静|人少|吵|清静",
        r"\bquiet|\bwhisper|\bsilent|hardly (?:a soul|anyone)|\bpeaceful|the crowds|\bcalm|\btucked away|清静|"
        r"没什么人|压着嗓子|安静|人少|不吵|僻静",
    ),
    (
        r"\bhates? (?:the )?heat|\bhot weather|怕热",
        r"\bcool(?:er)?\b|gets? (?:too )?hot|\bshad[ey]|\bair.?con|\bbreez|凉快|不热|凉爽|怕您热|阴凉",
    ),
    (r"\b(?:hates?|feels?) (?:the )?cold|怕冷", r"\bwarm|\bheated|\bcosy|\bcozy|暖和|不冷|暖气"),
    (r"\bpools?\b|\bswim|游泳|泳池", r"\bswim|\bpool\b|\blaps?\b|stroke\b|游两|泳|下水"),
    (r"\b(?:dog|greyhound|pupp|retriever|terrier|poodle)|狗", r"\bdog|\bleash|\bsighthound|\bpup|\bpaws?\b|狗|遛"),
    (r"\bcats?\b|\bkitten|猫", r"\bcats?\b|\blitter|\bfeline|\bnibbl|\bkitt|猫|喵"),
    (
        r"\b(?:short|brief|concise)\b|\blong (?:answers|speeches|texts)|简短|简洁|长篇|啰嗦",
        r"\b(?:brief|in short|in a nutshell|tl;?dr|long story short)\b|一句话|简单说|长话短说|就这两句|短一点",
    ),
    (
        r"\bformal|\bpolite|客气|正式|敬语",
        r"\bdear (?:mr|ms|mrs|dr|prof)|\bregards\b|\bsincerely\b|您好|打扰了|此致|敬上|冒昧",
    ),
    (
        r"\b(?:rush|hurry|slow pace|packed)|太赶|慢慢|悠闲",
        r"\b(?:leisurely|no rush|easy pace|slow(?:ly)?|unhurried)\b|慢慢|不赶|悠闲|就好,",
    ),
    (
        r"\b(?:knee|back|hip|joint|ankle|shoulder)\b|膝|腰|髋|关节|脚踝",
        r"easy on (?:the|your)|low.?impact|\bgentle|\bjoints?\b|no (?:impact|jumping)|没负担|不伤|不费|修复班|护膝|"
        r"轻柔",
    ),
    (
        r"\bbeginner|\bnew to\b|\bnovice|\bjust started|新手|初学|刚学",
        r"\bbeginner|\bgentle|\bbasics?\b|\bfirst.timer|缓坡|入门|零基础|初级|平缓",
    ),
    (r"\bglasses|戴眼镜|近视", r"\bframes\b|\bglasses\b|镜腿|眼镜|度数"),
    (r"\bcaffeine|咖啡因", r"\bdecaf|\bherbal|\bcaffeine|低因|无因|不含咖啡因|脱因"),
    (
        r"(?:n't|not|no|stopped|quit) (?:drink|alcohol)|\balcohol|\bsober|不喝酒|戒酒|滴酒",
        r"alcohol.?free|\bmocktail|non.?alcoholic|zero.?proof|leave the bottle|无酒精|不含酒精|[0零]度",
    ),
    (r"\bhalal|\bmuslim|清真|回民|回族", r"\bhalal|no pork|清真|不含猪"),
    (r"\bpregnan|\bexpecting|怀孕|孕", r"\braw\b|\bpasteuri|\bpregnan|刺身|生[食冷鱼]|溏心|孕"),
    (r"\bexplicit|\bswear|\bclean\b|脏话|粗口", r"\bclean\b|family.?friendly|no swear|干净|适合孩子"),
    (
        r"\bdiabet|\bsugar|糖尿|控糖|少糖|无糖",
        r"sugar.?free|low.?sugar|no (?:added )?sugar|\bunsweetened|无糖|低糖|不加糖|代糖|少糖",
    ),
    (
        r"\bhorror|\bscar[ye]|\bgore|\bviolen|恐怖|害怕|血腥",
        r"\bscares?\b|\bscary|nothing too dark|不吓人|不恐怖|温馨|不血腥",
    ),
    (
        r"\bcar ?sick|\bmotion sick|\bseasick|晕车|晕船",
        r"\bflat\b|\bstraight|\bno (?:bends|curves|winding)|\bsmooth|平路|不绕|不晕|平稳|直路",
    ),
    (
        r"\bshellfish|\bseafood|\bfish\b|\bshrimp|海鲜|虾|贝",
        r"no (?:fish|seafood|shellfish|shrimp)|fish.?free|[不无没](?:含|放|有)?(?:海鲜|虾|鱼|贝)",
    ),
)
CONCEPTS = tuple(Concept(re.compile(held), re.compile(shown)) for held, shown in _PAIRS)


def respects_concept(memory: str, reply: str, query: str) -> bool:
    return any(
        each.memory_pattern.search(memory) and each.reply_pattern.search(reply) and not each.reply_pattern.search(query)
        for each in CONCEPTS
    )
