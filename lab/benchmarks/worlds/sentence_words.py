"""Words for the benchmark's sentences, about other people's actions, so that no rule learns a belief from them."""


def _split_words(text: str, between: str | None = None) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(between))


EN_PEOPLE = _split_words(
    "Amara Bruno Celia Dmitri Elif Fatima Goran Hedda Ismail Jolanta Kenji Lucia Marek Nadia Otto Priya Quentin Rosa "
    "Samir Tove Ursula Viktor Wanda Ximena Yusuf Zofia"
)
EN_DEEDS = _split_words(
    "repaired painted photographed borrowed returned measured carried cleaned unpacked inspected polished sketched "
    "assembled labelled replaced weighed"
)
EN_THINGS = _split_words(
    "bicycle telescope accordion lantern bookshelf kayak sewing-machine chessboard aquarium typewriter barometer "
    "hammock wheelbarrow projector sundial violin ladder greenhouse weathervane gramophone mosaic tapestry compass "
    "birdhouse canoe easel trellis generator signboard staircase"
)
EN_LOOKS = _split_words("old copper striped borrowed narrow wooden silver crooked enormous faded spotless heavy")
EN_PLACES = _split_words(
    "the harbour, the village school, a quiet courtyard, the railway museum, the lighthouse, the botanical garden, "
    "a mountain hut, the old mill, the market square, the ferry terminal, the observatory, the town library, "
    "a windy terrace, the abandoned quarry, the theatre cellar, the riverside workshop",
    ",",
)
EN_TIMES = _split_words(
    "while the rain was drumming on the roof, before the guests arrived, after the parade had passed, "
    "with a neighbour holding the torch, during the long power cut, as the fog was lifting, between two thunderstorms, "
    "when the bells rang",
    ",",
)
ZH_PEOPLE = _split_words(
    "王芳 李强 张敏 刘洋 陈静 杨帆 赵磊 黄丽 周涛 吴倩 徐峰 孙悦 马超 朱琳 胡军 郭雪 何平 高远 林岚 罗毅"
)
ZH_DEEDS = _split_words("修理 粉刷 拍摄 借走 归还 测量 提走 擦拭 拆开 检查 打磨 描绘 组装 标记 更换 称量")
ZH_THINGS = _split_words(
    "自行车 望远镜 手风琴 灯笼 书架 皮划艇 缝纫机 棋盘 鱼缸 打字机 气压计 吊床 手推车 放映机 日晷 小提琴 "
    "梯子 温室 风向标 留声机"
)
ZH_LOOKS = _split_words("旧 铜制 条纹 狭窄 木头 银色 歪斜 巨大 褪色 沉重")
ZH_PLACES = _split_words(
    "码头 村里的小学 安静的院子 铁路博物馆 灯塔 植物园 山间小屋 老磨坊 集市 渡口 天文台 图书馆 废弃的采石场 剧院地下室"
)
ZH_TIMES = _split_words(
    "外面正下着大雨 客人还没有到 游行队伍刚刚走过 邻居在旁边举着手电 "
    "那时正好停电 雾气慢慢散开 两场雷雨之间 直到钟声响起"
)
