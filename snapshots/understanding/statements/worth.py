"""Recognise messages that say nothing: greetings, acknowledgements and bare commands, phrase by phrase.

Any other word, name or number makes a message a statement: a message that is skipped can never be recalled.
"""

import re
from typing import Any

from memory_platform.kernel.text import index_form

_PHRASES_EN = (
    "hi|hello|hey|heya|hiya|yo|hi there|hello there|hey there|good morning|good afternoon|good evening|good night|"
    "morning|evening|greetings|how are you|how are you doing|how are you doing today|how are you today|how's it going|"
    "how is it going|what's up|sup|nice to meet you|nice to see you|good to see you|good to see you again|"
    "long time no see|welcome back|thanks|thank you|thank you so much|thank you very much|thanks a lot|thanks so much|"
    "thanks a bunch|many thanks|thx|ty|tysm|cheers|much appreciated|appreciate it|i appreciate it|no thanks|"
    "no thank you|ok thanks|ok|okay|okey|k|kk|sure|sure thing|of course|yes|yeah|yep|yup|ya|yes please|no|nope|nah|"
    "alright|all right|right|fine|that's fine|got it|i got it|understood|i see|i understand|makes sense|sounds good|"
    "sounds great|sounds good to me|will do|no problem|no worries|np|great|cool|nice|awesome|perfect|excellent|amazing|"
    "wonderful|good|very good|lovely|brilliant|fantastic|wow|oh|ah|hmm|hm|um|uh|oh wow|oh no|really|haha|hahaha|lol|"
    "lmao|exactly|absolutely|definitely|totally|indeed|true|agreed|that's right|that's great|that's good|that's it|"
    "that's all|that is all|never mind|nevermind|you're welcome|you are welcome|my pleasure|bye|goodbye|bye bye|"
    "see you|see you later|see you soon|see ya|talk to you later|talk soon|take care|have a nice day|have a good day|"
    "have a good one|good bye|please|then|so|well|and|too|now|again|hello again|test|testing|ping"
)
_COMMANDS_EN = (
    "stop|pause|play|resume|continue|go on|carry on|keep going|next|previous|skip|repeat|again|cancel|undo|redo|back|"
    "go back|exit|quit|help|menu|start|start over|try again|louder|quieter|volume up|volume down|turn it up|"
    "turn it down|mute|unmute|play music|play the next song|next song|next track|next one|show more|more|tell me more|"
    "yes do it|do it|go ahead|proceed|confirm|navigate home|take me home|open the window|close the window|"
    "turn on the ac|turn off the ac|hang up|answer|send|send it|delete it"
)
_PHRASES_ZH = (
    "你好|您好|你好呀|你好啊|大家好|哈喽|嗨|嘿|喂|早|早上好|上午好|中午好|下午好|晚上好|晚安|早安|在吗|在么|在不在|"
    "好久不见|谢谢|谢谢你|谢谢您|多谢|感谢|非常感谢|谢啦|谢了|辛苦了|麻烦你了|麻烦了|不用谢|不客气|没关系|没事|没问题|"
    "不用了|不必了|不了|好|好的|好吧|好呀|好啊|好滴|好嘞|行|行吧|可以|可以的|嗯|嗯嗯|嗯呢|恩|哦|噢|喔|啊|哈|哈哈|"
    "哈哈哈|哈哈哈哈|呵呵|嘿嘿|嘻嘻|对|对的|对啊|是|是的|是啊|没错|不是|不|不对|不行|知道了|明白|明白了|懂了|了解|收到|"
    "原来如此|这样啊|这样|当然|当然可以|太好了|太棒了|真棒|不错|真不错|厉害|赞|棒|很好|挺好|完美|算了|随便|都行|真的|"
    "真的吗|是吗|不是吧|天哪|哇|哎|唉|再见|拜拜|拜|回见|回头见|下次见|明天见|一会儿见|先这样|就这样|就这些|没了|没有了|"
    "呢|吧|呀|啦|了|嘛|测试|你呢|辛苦|请"
)
_COMMANDS_ZH = (
    "停|停止|暂停|播放|继续|继续说|接着说|下一个|下一首|上一首|换一首|切歌|跳过|重复|再来一遍|再说一遍|取消|撤销|返回|"
    "退出|帮助|开始|重来|重新开始|大声点|小声点|声音大一点|声音小一点|静音|播放音乐|放首歌|更多|还有吗|然后呢|确认|"
    "确定|提交|发送|导航回家|回家|打开空调|关闭空调|打开车窗|关闭车窗|打开天窗|关闭天窗|挂断|接听|打开|关闭"
)
_EN = frozenset(tuple(phrase.split()) for phrase in f"{_PHRASES_EN}|{_COMMANDS_EN}".split("|"))
_ZH = frozenset(f"{_PHRASES_ZH}|{_COMMANDS_ZH}".split("|"))
_LONGEST_EN, _LONGEST_ZH = max(map(len, _EN)), max(map(len, _ZH))
_LONGEST_EMPTY = 80
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_RUN = re.compile(r"[\u3400-\u9fff]+|[^\W\u3400-\u9fff]+(?:'[a-z]+)?")
_HAN = re.compile(r"[\u3400-\u9fff]")


def says_something(text: str) -> bool:
    """Return whether a user message holds anything to remember: false only for pure courtesy and bare commands."""
    if len(text) > _LONGEST_EMPTY:
        return True
    form = index_form(text)
    runs = _RUN.findall(form)
    chinese = [run for run in runs if _HAN.match(run)]
    words = tuple(run for run in runs if not _HAN.match(run))
    return not (_is_all_known(words, _EN, _LONGEST_EN) and all(_is_all_known(run, _ZH, _LONGEST_ZH) for run in chinese))


def _is_all_known(said: str | tuple[str, ...], phrases: frozenset[Any], longest: int) -> bool:
    at = 0
    while at < len(said):
        step = next((n for n in range(longest, 0, -1) if said[at : at + n] in phrases), 0)
        if not step:
            return False
        at += step
    return True
