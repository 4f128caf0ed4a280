"""Which words belong to which category of preference: Chinese. Longest match wins, the last one in the phrase first."""

_FOOD = """
火锅 烧烤 烤肉 麻辣烫 串串 小龙虾 海鲜 牛肉 羊肉 猪肉 鸡肉 鱼肉 肥肉 鸡蛋 牛奶 酸奶 豆浆 豆腐 面条 拉面 米饭 米线 米粉
饺子 包子 馒头 粥 煎饼 油条 蛋糕 面包 饼干 巧克力 糖果 冰淇淋 甜品 甜食 甜点 零食 水果 苹果 香蕉 芒果 榴莲 榴梿 草莓
西瓜 葡萄 蔬菜 青菜 香菜 葱 姜 蒜 大蒜 洋葱 芹菜 胡萝卜 苦瓜 茄子 西红柿 番茄 土豆 蘑菇 花生 坚果 芝麻 乳糖 乳制品
麸质 小麦 大豆 黄豆 海带 虾 螃蟹 蟹 贝类 鱼 三文鱼 寿司 刺身 披萨 汉堡 薯条 意面 牛排 沙拉 川菜 粤菜 湘菜 鲁菜 东北菜
日料 西餐 中餐 韩餐 快餐 素食 咖啡 美式 拿铁 卡布奇诺 摩卡 奶茶 茶 绿茶 红茶 乌龙茶 普洱 龙井 可乐 雪碧 果汁 啤酒 白酒
红酒 酒 威士忌 餐厅 饭馆 外卖 辣 甜 酸 咸 辣椒 花椒 内脏 动物内脏 肉 饭 菜 汤 早餐 早饭 午餐 午饭 晚餐 晚饭 夜宵 口味
味道 零度可乐 气泡水 抹茶 糖 油炸 点心 粽子 月饼
"""
_MUSIC = """
音乐 歌 歌曲 爵士 爵士乐 摇滚 摇滚乐 民谣 说唱 嘻哈 电子 电音 古典 古典音乐 流行 重金属 蓝调 轻音乐 纯音乐 交响乐 歌剧
京剧 戏曲 粤语歌 英文歌 老歌 儿歌 广告歌 歌手 乐队 专辑 周杰伦 陈奕迅 林俊杰 邓丽君 王菲 五月天 钢琴 吉他 小提琴 古筝
二胡 李荣浩 薛之谦 张学友 邓紫棋 巴赫 莫扎特 贝多芬 肖邦 曲子 歌单
"""
_NAVIGATION = """
高速 高速公路 高架 高架路 收费站 收费路段 收费路 快速路 隧道 轮渡 渡口 大桥 路线 小路 内环 中环 外环 环线 国道 省道
辅路 堵车 拥堵 拥堵路段 红绿灯 近路 最短路线
"""
_VEHICLE = """
汽车 开车 新能源车 电动车 跑车 越野车 轿车 座椅加热 座椅 方向盘 车窗 天窗 自动驾驶 巡航 特斯拉 比亚迪 宝马 奔驰 奥迪
驾驶模式 运动模式
"""
_CLIMATE = "空调 温度 暖气 风量 风速 出风口 除雾 车内温度"
_TRAVEL = """
旅行 旅游 旅途 酒店 民宿 机票 航班 飞机 高铁 火车 靠窗 靠过道 座位 海边 海滩 沙滩 海岛 景点 自驾游 自由行 跟团 露营
出国 经济舱 商务舱 头等舱
"""
_ENTERTAINMENT = """
电影 电视剧 综艺 动漫 动画片 纪录片 小说 书籍 漫画 游戏 手游 网游 播客 有声书 恐怖片 爱情片 科幻片 动作片 喜剧片
悬疑片 科幻 悬疑 话剧 相声 脱口秀 短视频 新闻 直播 美剧 韩剧 日剧
"""
_SPORTS = """
跑步 慢跑 晨跑 夜跑 爬山 登山 徒步 健身 游泳 瑜伽 骑行 骑车 骑自行车 篮球 打篮球 足球 踢足球 羽毛球 打羽毛球 乒乓球
打乒乓球 网球 打网球 排球 滑雪 滑冰 滑板 冲浪 潜水 攀岩 太极 太极拳 打太极 拳击 散步 高尔夫 台球 运动 马拉松 跳绳 武术
普拉提
"""
_LEISURE = """
摄影 拍照 画画 绘画 书法 看书 读书 阅读 写作 写字 下棋 围棋 象棋 钓鱼 园艺 养花 种花 做饭 烹饪 烘焙 唱歌 跳舞 听音乐
听歌 看电影 打游戏 玩游戏 追剧 手工 编织 集邮 旅行摄影 弹吉他 弹钢琴 拼图 乐高 冥想 观星 茶道 插花 打麻将 麻将 桌游
剧本杀 逛街 木工 陶艺
"""
_SHOPPING = "购物 网购 衣服 鞋子 品牌 国货 包包 化妆品 护肤品 打折 优惠券 快递"
_HEALTH = "花粉 尘螨 灰尘 青霉素 头孢 阿司匹林 乳胶 猫毛 狗毛 猫 狗 柳絮 紫外线 酒精 螨虫 霉菌 药物 碘 镍 磺胺"

CATEGORY_WORDS: dict[str, str] = {
    "food": _FOOD,
    "music": _MUSIC,
    "navigation": _NAVIGATION,
    "vehicle": _VEHICLE,
    "climate": _CLIMATE,
    "travel": _TRAVEL,
    "entertainment": _ENTERTAINMENT,
    "sports": _SPORTS,
    "leisure": _LEISURE,
    "shopping": _SHOPPING,
}
CATEGORY_OF: dict[str, str] = {w: c for c, words in CATEGORY_WORDS.items() for w in words.split()}
HEALTH_ALLERGENS = frozenset(_HEALTH.split())
LONGEST = max(map(len, CATEGORY_OF))

THINGS: dict[str, tuple[str, str]] = {  # what a favourite or a limit is of -> (category, key word)
    "颜色": ("general", "colour"),
    "歌手": ("music", "singer"),
    "歌": ("music", "song"),
    "歌曲": ("music", "song"),
    "乐队": ("music", "band"),
    "音乐": ("music", "music"),
    "食物": ("food", "food"),
    "菜": ("food", "dish"),
    "水果": ("food", "fruit"),
    "饮料": ("food", "drink"),
    "餐厅": ("food", "restaurant"),
    "咖啡": ("food", "coffee"),
    "茶": ("food", "tea"),
    "电影": ("entertainment", "movie"),
    "书": ("entertainment", "book"),
    "作家": ("entertainment", "author"),
    "演员": ("entertainment", "actor"),
    "游戏": ("entertainment", "game"),
    "运动": ("sports", "sport"),
    "球队": ("sports", "team"),
    "球星": ("sports", "player"),
    "城市": ("travel", "city"),
    "国家": ("travel", "country"),
    "季节": ("general", "season"),
    "动物": ("general", "animal"),
    "数字": ("general", "number"),
    "品牌": ("shopping", "brand"),
    "车": ("vehicle", "car"),
    "酒店": ("travel", "hotel"),
    "住宿": ("travel", "hotel"),
    "机票": ("travel", "flight"),
    "旅行": ("travel", "trip"),
    "旅游": ("travel", "trip"),
    "午饭": ("food", "lunch"),
    "午餐": ("food", "lunch"),
    "晚饭": ("food", "dinner"),
    "晚餐": ("food", "dinner"),
    "早餐": ("food", "breakfast"),
    "吃饭": ("food", "meal"),
    "餐费": ("food", "meal"),
    "打车": ("travel", "taxi"),
    "车速": ("vehicle", "speed"),
    "时速": ("vehicle", "speed"),
    "音量": ("music", "volume"),
    "房租": ("general", "rent"),
    "衣服": ("shopping", "clothes"),
    "购物": ("shopping", "shopping"),
    "礼物": ("shopping", "gift"),
}

_OCCUPATIONS = """
程序员 工程师 设计师 架构师 分析师 咨询师 会计师 理发师 美容师 摄影师 化妆师 厨师 律师 教师 老师 医师 药师 医生 护士
司机 学生 大学生 研究生 博士生 高中生 实习生 研究员 科研人员 公务员 销售员 服务员 快递员 外卖员 飞行员 运动员 演员
导演 店员 收银员 推销员 业务员 售货员 保安 保洁 教练 教授 讲师 记者 编辑 作家 画家 音乐家 歌手 翻译 会计 出纳 财务
销售 客服 运营 产品经理 项目经理 经理 总监 主管 老板 店长 创业者 自由职业者 自由职业 个体户 农民 工人 电工 木工 焊工
警察 民警 消防员 军人 士兵 法官 检察官 公证员 牙医 兽医 空姐 空乘 主播 博主 家庭主妇 全职妈妈 全职爸爸 退休工人
退休教师 退休人员 插画师 码农 测试 建筑师 心理咨询师
"""
OCCUPATION_ENDINGS = tuple(_OCCUPATIONS.split())
