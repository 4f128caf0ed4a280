"""Ways of saying in Chinese that carry over: each is read in many words, and not in words that only look alike.

Rows: E1, E2, P2, P3.
"""

import pytest

from tests.snapshots.extraction.ways import is_told, pairs, silent

WAYS = """
# what was named before is liked
叻沙和榴莲我都超爱的 | 叻沙
酸菜鱼我百吃不厌 | 酸菜鱼
老狼的歌我怎么听都不腻 | 老狼的歌
螺蛳粉我真的没有抵抗力 | 螺蛳粉
豆汁儿我特别爱喝 | 豆汁儿
凍檸茶我好鍾意 | 凍檸茶
侦探小说我都爱看 | 侦探小说
羊蝎子这东西我超喜欢 | 羊蝎子
冰粉、凉虾,这俩我都爱吃 | 凉虾
臭豆腐,这玩意儿我可喜欢了 | 臭豆腐
# what was named before is disliked
香菜、芹菜,这俩我闻着味儿就犯恶心 | 芹菜
大红大紫那种我看不上 | 大红大紫
恐怖片我是真看不下去 | 恐怖片
肥肠我实在吃不来 | 肥肠
口水歌我没感觉 | 口水歌
飞机我害怕 | 飞机
折耳根,这东西我不爱吃 | 折耳根
网红店我一概没兴趣 | 网红店
榴蓮我真係頂唔順 | 榴蓮
苦瓜什么的我不太喜欢 | 苦瓜
# work without its word
我开了二十年出租 | 出租
我在中学教物理 | 教物理
本人坐标西安,做测绘的 | 测绘
我係酒樓師傅 | 酒樓師傅
我跑货拉拉的 | 跑货拉拉
我学的是土木工程 | 土木工程
我是开大货车的 | 开大货车
我干了八年月嫂 | 月嫂
我在读土木工程 | 土木工程
我今年三十六,两个娃的妈 | 两个娃的妈
# harm and what doctors order
海鲜一吃就起疹子 | 海鲜
牛奶我一喝就拉肚子 | 牛奶
芒果会让我起疹子 | 芒果
桃子碰了就痒 | 桃子
大夫说了甜的一律不许碰 | 甜
医生不让我喝酒 | 酒
医生让我每天糖不超过25克 | 25克
花生过敏,腰果也是 | 腰果
食谱里盐要减半,我血压高 | 盐要减半
腌菜医生说少吃 | 腌菜
# hours, roads and sizes
周日我要去教会,别给我排班 | 周日
周四下午我陪娃练球,别约我 | 周四下午
送货别给我导四环以里 | 四环以里
我车高四米二 | 四米二
房车净高3.1米,注意限高 | 3.1米
快递别放门口,老丢 | 门口
千万别带我走山路,我晕车 | 山路
我搞派对预算一向三万 | 三万
周六晚上我不接单 | 周六晚上
周三我有课,别给我安排 | 周三
# what comes back
这礼拜第四回上天坛了 | 天坛
今個月第三次煲花膠雞喇 | 花膠雞
回回都是单田芳陪着 | 单田芳
老板还是来碗牛肉粉 | 牛肉粉
帮我订晚饭,还是那家潮汕火锅 | 潮汕火锅
今晚照旧打羽毛球 | 羽毛球
再来一箱东方树叶,上个月那箱又见底了 | 东方树叶
家里的老干妈永远不能断 | 老干妈
国安的比赛我一场都没落过 | 国安的比赛
我一般走滨河路,今天堵不堵 | 滨河路
"""
LOOK_ALIKE = """
红烧肉是搁老抽还是搁生抽啊
超了的不用报给我
饭我不吃了,饱了
他开了二十年出租
我同事在小学教美术
喝也行不喝也行
平时我肯定走最快的,今天就走风景好的那条吧
我妈一吃海鲜就起疹子
医生让我妈少吃盐
你是做什么的
帮我叫碟叉烧饭
这俩哪个好
上课了别说话
今晚别给我打电话了
这个周日别排班行不行
还是你来吧
第三次打电话了
早上忙得脚不沾地
一口都没剩
"""
"""Nothing of these lasts and is the speaker's own."""


@pytest.mark.parametrize(("text", "value"), pairs(WAYS))
def test_a_way_of_saying_is_read(text: str, value: str) -> None:
    assert is_told(text, value)


@pytest.mark.parametrize("text", LOOK_ALIKE.split("\n")[1:-1])
def test_what_looks_alike_teaches_nothing(text: str) -> None:
    assert silent(text)
