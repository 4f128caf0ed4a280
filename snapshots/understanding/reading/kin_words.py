"""Words for kin and other people around the user, as patterns: shared entries for :func:`load_patterns`."""

KIN_WORDS = {
    "kin_en": (
        r"(?:step|grand|half-?|god)?(?:wife|husband|son|daughter|mum|mom|mother|dad|father|sister|brother|kids?|children|"
        r"baby|child|twins?|partner|girlfriend|boyfriend|fianc[eé]e?|friend|best friend|mate|boss|manager|colleague|"
        r"coworker|team|client|customer|supplier|grandma|grandpa|nan|nana|gran|aunt|auntie|uncle|cousin|niece|nephew|"
        r"neighbou?r|roommate|flatmate|landlord|landlady|doctor|dentist|therapist|teacher|coach|nurse|accountant|lawyer|assistant|"
        r"(?:mother|father|brother|sister|son|daughter)-in-law|in-laws|parents|ex)s?"
    ),
    "kin_zh": (
        r"(?:妈妈?|爸爸?|母亲|父亲|爹|娘|老妈|老爸|老婆|老公|妻子|丈夫|媳妇|爱人|太太|先生|女朋友|男朋友|对象|女友|男友|"
        r"女儿|儿子|孩子|宝宝|娃|闺女|姐姐?|妹妹?|哥哥?|弟弟?|姐夫|嫂子|奶奶|爷爷|外婆|外公|姥姥|姥爷|公公|婆婆|岳父|岳母|"
        r"丈母娘|叔叔|阿姨|舅舅|姑姑|姨妈|姑妈|表哥|表姐|表弟|表妹|堂哥|堂姐|堂弟|堂妹|侄子|侄女|外甥|孙子|孙女|朋友|闺蜜|"
        r"同事|同学|室友|邻居|领导|老板|上司|助理|秘书|客户|医生|家庭医生|老师|司机|保姆|房东|律师|教练|师傅|经纪人|家人|"
        r"爸妈|父母|家里人)"
    ),
}
