"""Patterns of intent and phase, in English and Chinese, matched on index form; the first intent wins."""

import re
from typing import Literal

Intent = Literal[
    "small_talk", "recommendation", "complaint", "knowledge", "preference_confirmation", "navigation", "task", "general"
]
Phase = Literal["opening", "in_depth", "task_execution", "confirmation", "after_sales"]

_ASK = (
    r"(?:can|could|would|will) you (?:please )?|please |i(?:'d| would) like (?:you )?to |i (?:want|need) (?:you )?to |"
    r"let's |hey,? |ok,? |now |just |don't forget to "
)
_DO_EN = (
    r"book|reserve|order|buy|set|turn (?:on|off|up|down|the)|switch (?:on|off)|remind|send|"
    r"email|text|play|pause|stop|translate|"
    r"write|draft|cancel|schedule|call|add|remove|delete|create|open|close|start|make (?:a|an|"
    r"me|the|this)|find me|search|look up|check|"
    r"show me|update|change|save|pay|summari[sz]e|increase|decrease|lower|raise|mute|put|move|"
    r"convert|calculate|download|fill|"
    r"confirm|renew|track|dim|lock|unlock|wake|forward|reply|post|print|read|record|list|"
    r"invite|postpone|reschedule|rename|copy|"
    r"upload|install|arrange|ring|message|skip|shut|warm|cool|heat"
)
_DO_ZH = (
    r"订|定一?个|预订|预定|预约|设置?|打开|关闭|关掉|关一?下|开一?下|开启|播放|放[一点首些]|"
    r"来[一]?首|暂停|停止|提醒|发送|发给|发一?[条封个份]|打电话|"
    r"打给|拨打|翻译|写|取消|添加|加上|删除|创建|新建|查一?下|查询|搜索|搜一?下|下单|购买|"
    r"买一?[张份个]|支付|付款|调到|调成|调[小大高低]|改成|改签|"
    r"保存|记下|记一下|总结|生成|计算|算一?下|叫一?[辆个份]|点一?份|续费|导出|锁|解锁|转发|回复|叫醒|打印"
)
_PREFERENCE = (
    r"\b(?:do|did|don't|can) you (?:still )?(?:remember|recall)\b|"
    r"\bwhat (?:do|did|else do) you (?:know|remember|have) (?:about|on) me\b|\bdid i (?:ever )?(?:tell|mention|say)\b|"
    r"\bremind me (?:what|which|where|how|who) (?:i|my)\b|\bwhat did i (?:say|tell)\b|"
    r"\b(?:what|which|where|who)\b.{0,40}\bi (?:told|mentioned)\b|"
    r"\b(?:what|who|where|which|when)(?:'s| is| are|'re| was) my (?!order|package|refund|"
    r"parcel|flight|delivery|money|bag|luggage)|"
    r"^is my (?:\w+ ){1,3}still\b|\bmy usual\b|\bhave i (?:ever )?(?:told|mentioned)\b|"
    r"\b(?:have|got) (?:\w+ )?(?:saved|stored|noted|on file) (?:about|on|for) (?:me|my)\b|"
    r"\bthe usual\b|\bwhere do i (?:live|work)\b|"
    r"^(?:so )?am i (?!going|late|right|wrong|able|allowed|supposed)|^do i (?:still |"
    r"really )?(?:like|prefer|hate|have|eat|drink|own|live)\b|"
    r"\b(?:what|which)(?: \w+){0,3} do i (?:usually |normally |always |really )?(?:like|"
    r"prefer|want|drink|eat|listen|hate|avoid|use|fly|stay|order|buy|sit|take (?=my))\b|"
    r"记不?记得我|你?还?记得(?:我|.{0,6}我)|记着(?:吗|没)|你.{0,3}(?:存|记录|保存)的?我|"
    r"你?还记得(?!.{0,4}带)|你(?:都)?(?:了解|知道)我(?!在|要|想|们|是说)|"
    r"我(?:之前|上次|以前|刚才|是不是|有没有).{0,6}(?:说过?|提过?|讲过|告诉)|我(?:上回|上次|"
    r"之前|以前).{1,10}(?:什么|哪|多少|谁)|"
    r"我(?:对什么|最?喜欢(?:吃|喝|听|看)?什么|叫什么|家在哪|住在?哪|的?名字是什么|多大|几岁)|"
    r"我.{1,14}(?:来着|叫啥)|老样子|"
    r"我(?:最喜欢的|的|妈的?|爸的?|老婆的?|老公的?|家的?)(?!快递|订单|包裹|"
    r"外卖)[^,。]{0,10}(?:是什么|是谁|是多少|在哪|是哪)|"
    r"我(?:平时|一般|通常|习惯)[^,。]{1,10}(?:什么|多少|几|哪)"
)
_COMPLAINT = (
    r"\b(?:refund|unacceptable|ridiculous|terrible|awful|horrible|worst|disappoint\w*|"
    r"frustrat\w*|complain\w*|rude|scam|rip-?off|"
    r"useless|disgusting|furious|fed up|outrageous|annoying|overcharged|charged (?:me )?twice|waste of (?:time|money)|"
    r"wrong (?:size|item|order|colou?r|address|one again))\b|"
    r"\b(?:still|again)\b.{0,30}\b(?:doesn't|does not|isn't|won't|not) (?:work|start|load|fixed|working|arrived)|"
    r"\b(?:doesn't|not|stopped|won't) work(?:ing)?\b|\b(?:arrived|came|is|was|are) (?:broken|"
    r"damaged|cold|late|defective|missing|faulty)\b|"
    r"\b(?:always|again|so) late\b|\bcrash(?:ed|es|ing)\b|\b(?:third|second|fourth) time\b|"
    r"\bwaiting for (?:\w+ )?(?:hours|days|weeks|two|three)\b|"
    r"\bnobody (?:answers|helps|replies|told|came)\b|\bno ?one (?:answers|helps|replies|told|"
    r"came)\b|\bnot what i (?:asked|ordered|wanted)\b|"
    r"\b(?:never|hasn't|haven't|didn't) (?:showed up|arrived?|turned up|came|been delivered|"
    r"delivered|get (?:my|a) (?:refund|order|reply))\b|"
    r"\bkeeps? (?:freezing|crashing|failing|stopping|breaking|disconnecting|losing|telling|"
    r"asking)\b|\bwhy (?:was|am|did) i (?:get )?(?:being )?charged\b|"
    r"\b(?:is|was|are|were) (?:so |really |too |very )?(?:slow|dirty|noisy|filthy|stale|buggy)\b|\byou people\b|"
    r"\bstill no (?:answer|reply|response|refund|sign)\b|\bhas a (?:crack|hole|scratch|dent|"
    r"stain)\b|\b(?:your|the) (?:driver|courier|staff|waiter)\b.{0,20}\b(?:dropped|lost|broke|"
    r"shouted|ignored)\b|"
    r"第[三四五六]次了|到底.{0,6}(?:不|没)|都是热风|什么质量|还没(?:轮到|到|来|好)|投诉|退款|"
    r"太差|差劲|差评|垃圾|坏的|就坏了|坏掉了|又坏|没人(?:理|管|接)|没(?:有)?(?:送到|收到|发货|"
    r"解决)|发错|送错|多扣|乱扣|扣错|多收|乱收费|"
    r"失望|气死|受不了你们|骗人|坑人|崩溃|闪退|卡死|死机|洒了|漏了|绕路|难用|难吃|不新鲜|"
    r"不制冷|还是不(?:行|能|好)|用不了|打不开|连不上|怎么又|"
    r"什么破|太(?:慢|贵|吵|脏|烂)了|怎么回事.{0,3}$|态度.{0,4}(?:差|恶劣)|迟到|浪费.{0,2}时间|一直(?:没|不)"
)
_NAVIGATION = (
    r"\b(?:navigate|directions?|reroute|re-route|route (?:to|from|home|me)|gps|detour)\b|"
    r"\bwhich (?:exit|lane|turn|road)\b|\banother way\b|\b(?:fastest|quickest|shortest|best|"
    r"another|alternative) (?:route|way)\b|\bway around\b|\btake me (?:to|home|back)|"
    r"\bdrive (?:me )?(?:to|home)\b|"
    r"\bhow (?:do|can) (?:i|we) get (?:to|home|there|from)\b|\bhow far (?:is|to)\b|\bhead(?:ing)? (?:home|back|to)\b|"
    r"\b(?:traffic|accidents?|jams?)\b.{0,20}\b(?:way|ahead|route|road|to)\b|"
    r"\bhow long.{0,20}\b(?:get|drive|reach)\b|\bget me (?:to|home)\b|"
    r"\blet's go (?:to|home)\b|\b(?:nearest|closest) (?:\w+ ){0,2}(?:station|charger|garage|"
    r"parking|atm|pharmacy|hospital|exit|car park|toilet)\b|"
    r"导航|怎么走|怎么去|(?:带|送|载)我(?:去|回|到)|走哪条|往哪(?:拐|走|开)|堵不堵|堵车吗|"
    r"路况|路线|回家(?:要|还|多)|最近的.{1,8}(?:在哪|怎么|多远)|"
    r"^(?:我要?|我们要?)?(?:回家|去公司|回公司)[吧了]?$|^(?:我|我们)(?:要|想)去(?!.{0,8}(?:吃|"
    r"看|玩|买|旅游|旅行))|开车去|多久(?:能)?到|"
    r"避开(?:高架|高速|拥堵)|掉头|下个?(?:路口|出口|服务区)|走最[快近]|最[快近]的路|^(?:去|"
    r"到).{1,10},走|服务区.{0,6}多远"
)
_RECOMMENDATION = (
    r"\b(?:recommend\w*|suggest(?:ion|ions)?|any (?:good |other )?(?:ideas?|tips|advice)|"
    r"got any .{0,30}(?:tips|ideas))\b|\bideas? for\b|"
    r"\b(?:what|which|where|who) (?:\w+ ){0,3}should (?:i|we)\b|\bwhat(?:'s| is| are) (?:a |"
    r"an |some )?(?:good|nice|the best|best|great)\b|"
    r"\bwhich (?:\w+ ){0,4}(?:is|are|would|do you) (?:better|best|the best|you)\b|"
    r"\bwhich (?:one|\w+) (?:is|would you|should|do you)\b|"
    r"\bhelp me (?:choose|pick|decide|find)\b|\b(?:can't|cannot) (?:decide|choose)\b|"
    r"\b(?:looking|searching) for an? \b|"
    r"\bi need an? (?:good|nice|new|cheap|great)\b|\bwould you (?:pick|choose|go for)\b|"
    r"\bany (?:good|decent|nice|cool|great|cheap)\b|\bgift ideas?\b|"
    r"\b(?:best|cheapest|top|decent) (?:\w+ ){1,3}(?:under|near|around|for|in|below)\b|"
    r"\bgo(?:es)? (?:well )?with\b.{0,20}\?|\boptions (?:nearby|around|for)\b|\bpoint me to\b|"
    r"\bworth (?:visiting|seeing|watching|reading|buying|trying)\b|"
    r"推荐|建议(?!书)|吃什么好|吃(?:点)?什么$|什么好(?:呢)?$|(?:什么|啥)(?:.{0,6})(?:比较|更|"
    r"最)?(?:好吃|好玩|好看|好喝|好听|合适|值得)|有(?:什么|啥|没有)好|"
    r"好(?:吃|看|玩|喝|听)的|哪(?:个|家|款|种|部|本|一[个款家]).{0,8}(?:好|正宗|适合|划算|"
    r"值得|便宜|性价比)|帮我(?:挑|选)|去哪(?:里|儿)?(?:玩|吃|逛|旅游)|"
    r"有没有适合|适合.{1,10}的(?:吗|有)|找[个家].{1,10}的|送.{1,8}(?:什么|啥)|什么礼物|怎么选|"
    r"选哪|买哪|去哪好|^求|(?:想看|想听|想读)[一]?[部本首点些]|买(?:什么|啥)|看(?:什么|"
    r"啥)(?:电影|书|剧|好)"
)
_TASK = (
    rf"^(?:{_ASK})*(?:{_DO_EN})\b|\b(?:can|could|would|will) you (?:please )?(?:{_DO_EN})\b|"
    r"^(?:yes,? )?(?:please )?(?:do|book|order|buy|send) it\b|"
    rf"^(?:请|麻烦|你|帮我|给我|替我|再|现在|马上|,)*(?:把|将|给).{{1,20}}(?:{_DO_ZH}|转|放到|"
    r"设|改到|改|移|删|加|关|开|发|调)|"
    rf"^(?:请|麻烦|你|帮我|给我|替我|再|现在|马上|,)*(?:{_DO_ZH})|帮我(?:{_DO_ZH}|把|做|弄|看|"
    r"找|开|关|拿|叫|打)|提醒我|叫我(?:起床|一声)|叫醒我|"
    r"^(?:空调|音量|温度|座椅|车窗|灯)"
)
_KNOWLEDGE = (
    r"^(?:so |and |but |ok,? |hey,? )?(?:what|who|why|how|when|where|which|is|are|does|do|did|"
    r"can|was|were|will|should|has)"
    r"(?:'s|'re)?\b(?!.{0,3}(?:up|you sleep|you ever|are you\b)).{4,}|"
    r"\b(?:explain|define|tell me (?:about|more about|how|why)|difference between|meaning of|"
    r"what (?:is|are|does)|how (?:do|does|to|many|much))\b|"
    r"是什么|什么是|什么意思|为什么|为啥|怎么(?!办好)|如何|多少|几(?:点|个|天|年|次|号)|区别|"
    r"解释|介绍一?下|是谁|谁(?:写|发明|是)|多(?:远|大|久|高|长|少)|"
    r"在哪|能不能|可不可以|是不是|能.{1,10}吗|可以.{1,10}吗|会.{1,10}吗|有哪些|原理|原因|历史"
)
RULES: tuple[tuple[Intent, re.Pattern[str]], ...] = (
    ("preference_confirmation", re.compile(_PREFERENCE)),
    ("complaint", re.compile(_COMPLAINT)),
    ("navigation", re.compile(_NAVIGATION)),
    ("recommendation", re.compile(_RECOMMENDATION)),
    ("task", re.compile(_TASK)),
    ("knowledge", re.compile(_KNOWLEDGE)),
)
SMALL_TALK = re.compile(
    r"^(?:hi|hello|hey|yo|good (?:morning|afternoon|evening|night)|thanks?|thank you|bye|"
    r"goodbye|see you|cheers|lol|haha\w*|wow|nice|"
    r"cool|great|ok|okay|morning)\b(?:.{0,40})$|"
    r"\b(?:how are you|how's it going|what's up|who are you|are you (?:a |an )?(?:real |"
    r"actual )?(?:robot|human|person|real|bot|ai)|"
    r"do you (?:ever )?(?:sleep|dream|eat|get tired)|tell me a joke|i'm (?:so )?(?:bored|tired|happy|sad|lonely)|"
    r"you're (?:funny|the best|great|cute|awesome|amazing|so)|nice weather|lovely (?:day|weather)|"
    r"good to (?:hear from|see|have) you|(?:such a |what a )(?:long|rough|great|bad|good|nice|"
    r"busy) (?:day|week)|what a (?:day|week)|happy (?:birthday|new year|friday|holidays)|"
    r"have a (?:nice|good|great) (?:day|one|evening|weekend))\b|"
    r"^(?:你好|您好|嗨|哈喽|早|早上好|上午好|下午好|晚上好|晚安|在吗|在么|谢谢|多谢|再见|拜拜|"
    r"哈哈|嘿嘿|呵呵|辛苦).{0,14}$|你是谁|你叫什么|讲个?笑话|"
    r"(?:好|真|太)?无聊|天气(?:真|不错|好)|你(?:吃饭|睡觉|累)了?吗|聊聊天?|陪我|你(?:真|好|"
    r"太)(?:好|棒|可爱|聪明|厉害|有趣|逗)|你几岁|你是机器人|太逗了|"
    r"心情(?:不好|好|如何|怎么样)|最近(?:怎么样|好吗|还好吗)|失恋|陪我说|想你|好(?:累|困|开心|"
    r"难过|烦|饿|热|冷)[啊呀哦]?$|(?:周末|节日|国庆|新年|生日|中秋|端午|春节)(?:愉快|快乐|好)"
)
GREETING = re.compile(
    r"^(?:hi|hello|hey|good (?:morning|afternoon|evening))[ ,!]+(?:there\b[ ,!]*)?|^(?:你好|"
    r"您好|嗨|哈喽|早上好|下午好|晚上好)[啊呀,!。 ]+"
)
AFTER_SALES = re.compile(
    r"\b(?:refund|return (?:the|this|it|my|policy)|exchange (?:the|this|it)|warranty|"
    r"where(?:'s| is) my (?:order|package|parcel|delivery|refund)|"
    r"track (?:my|the) (?:order|package|parcel)|"
    r"i (?:bought|ordered|purchased)\b.{0,60}\b(?:broken|damaged|wrong|late|faulty|defective|stopped|return|doesn't)|"
    r"arrived (?:broken|damaged|late)|spare parts?|repair|(?:order|package|parcel) never)\b|"
    r"退货|退款|换货|售后|保修|维修|快递(?:到哪|在哪|还没)|物流|发票|(?:买|订|"
    r"收到)的.{1,14}(?:坏|错|破|少|问题|换|退)|运单|签收|返修"
)
CONFIRMATION = re.compile(
    r"^(?:yes|yeah|yep|yup|sure|ok|okay|right|correct|exactly|perfect|confirm\w*|go ahead|"
    r"do it|that's (?:right|correct|it|the one|fine)|"
    r"sounds good|looks good|no,? (?:that's|it's|this is) (?:not|wrong)|that's (?:not|wrong)|"
    r"agreed|deal|absolutely|of course)\b.{0,40}$|"
    r"\bconfirm it\b|\bbook it\b|"
    r"^(?:对|是的|没错|可以|好的|好|行|嗯|确认|确定|没问题|就这个|就它|就这么|就要|同意|不对|"
    r"不是这个|错了|成交).{0,14}$|就这么定"
)
