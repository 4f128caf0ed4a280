"""Places: does a phrase read like an address that one can navigate to, or only like the name of a town?"""

import re

_ADDRESS_EN = re.compile(
    r"\b\d{1,5}[A-Za-z]?,? (?:[\w.'-]+ ){0,4}[\w.'-]+|\b(?:street|st|road|rd|avenue|ave|lane|"
    r"ln|drive|boulevard|blvd|square|court|"
    r"terrace|crescent|rue|platz|plaza|stra(?:ss|ß)e|\w+stra(?:ss|ß)e|\w+weg|way|highway|quay|mews|alley)\b",
    re.IGNORECASE,
)
_ADDRESS_ZH = re.compile(
    r"路|街|巷|弄|号|栋|幢|单元|室|大厦|广场|小区|花园|公寓|大道|胡同|园区|科技园|产业园|中心|"
    r"商场|[县区镇村乡][^,]|城.*[座楼]|楼|SOHO|[一二三四五六]期|苑|公馆|站|桥"
)
_HAN = re.compile(r"[\u3400-\u9fff]")


def is_address(phrase: str) -> bool:
    """Return whether ``phrase`` names a street, a building or a district, rather than just a town."""
    return bool((_ADDRESS_ZH if _HAN.search(phrase) else _ADDRESS_EN).search(phrase))
