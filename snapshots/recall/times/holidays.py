"""Holidays of China and the West: their names, and their days in each year."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta

from dateutil.easter import easter

# A first day, and how many days.
HolidayDays = tuple[date, int]
# The days of a holiday in a year. Raises ValueError for a year that the table does not know.
HolidayOfYear = Callable[[int], HolidayDays]

MONDAY, THURSDAY, SUNDAY = 0, 3, 6

# By year: 春节 清明 端午 七夕 中秋 重阳 as month and day. Two independent calendar libraries (holidays 0.109,
# lunardate 0.3.0) agree on all of it; one is too large to depend on for this, the licence of the other forbids it.
_LUNAR_HOLIDAYS = """
    1980 0216 0404 0617 0817 0923 1017 | 1981 0205 0405 0606 0806 0912 1006 | 1982 0125 0405 0625 0825 1001 1025
    1983 0213 0405 0615 0815 0921 1014 | 1984 0202 0404 0604 0803 0910 1003 | 1985 0220 0405 0622 0822 0929 1022
    1986 0209 0405 0611 0812 0918 1012 | 1987 0129 0405 0531 0830 1007 1031 | 1988 0217 0404 0618 0818 0925 1019
    1989 0206 0405 0608 0808 0914 1008 | 1990 0127 0405 0528 0826 1003 1026 | 1991 0215 0405 0616 0816 0922 1016
    1992 0204 0404 0605 0805 0911 1004 | 1993 0123 0405 0624 0824 0930 1023 | 1994 0210 0405 0613 0813 0920 1013
    1995 0131 0405 0602 0802 0909 1101 | 1996 0219 0404 0620 0820 0927 1020 | 1997 0207 0405 0609 0809 0916 1010
    1998 0128 0405 0530 0828 1005 1028 | 1999 0216 0405 0618 0817 0924 1017 | 2000 0205 0404 0606 0806 0912 1006
    2001 0124 0405 0625 0825 1001 1025 | 2002 0212 0405 0615 0815 0921 1014 | 2003 0201 0405 0604 0804 0911 1004
    2004 0122 0404 0622 0822 0928 1022 | 2005 0209 0405 0611 0811 0918 1011 | 2006 0129 0405 0531 0731 1006 1030
    2007 0218 0405 0619 0819 0925 1019 | 2008 0207 0404 0608 0807 0914 1007 | 2009 0126 0404 0528 0826 1003 1026
    2010 0214 0405 0616 0816 0922 1016 | 2011 0203 0405 0606 0806 0912 1005 | 2012 0123 0404 0623 0823 0930 1023
    2013 0210 0404 0612 0813 0919 1013 | 2014 0131 0405 0602 0802 0908 1002 | 2015 0219 0405 0620 0820 0927 1021
    2016 0208 0404 0609 0809 0915 1009 | 2017 0128 0404 0530 0828 1004 1028 | 2018 0216 0405 0618 0817 0924 1017
    2019 0205 0405 0607 0807 0913 1007 | 2020 0125 0404 0625 0825 1001 1025 | 2021 0212 0404 0614 0814 0921 1014
    2022 0201 0405 0603 0804 0910 1004 | 2023 0122 0405 0622 0822 0929 1023 | 2024 0210 0404 0610 0810 0917 1011
    2025 0129 0404 0531 0829 1006 1029 | 2026 0217 0405 0619 0819 0925 1018 | 2027 0206 0405 0609 0808 0915 1008
    2028 0126 0404 0528 0826 1003 1026 | 2029 0213 0404 0616 0816 0922 1016 | 2030 0203 0405 0605 0805 0912 1005
    2031 0123 0405 0624 0824 1001 1024 | 2032 0211 0404 0612 0812 0919 1012 | 2033 0131 0404 0601 0801 0908 1001
    2034 0219 0405 0620 0820 0927 1020 | 2035 0208 0405 0610 0810 0916 1009 | 2036 0128 0404 0530 0828 1004 1027
    2037 0215 0404 0618 0817 0924 1017 | 2038 0204 0405 0607 0807 0913 1007 | 2039 0124 0405 0527 0826 1002 1026
    2040 0212 0404 0614 0814 0920 1014 | 2041 0201 0404 0603 0803 0910 1003 | 2042 0122 0404 0622 0822 0928 1022
    2043 0210 0405 0611 0811 0917 1011 | 2044 0130 0404 0531 0731 1005 1029 | 2045 0217 0404 0619 0819 0925 1018
    2046 0206 0404 0608 0808 0915 1008 | 2047 0126 0405 0529 0827 1004 1027 | 2048 0214 0404 0615 0816 0922 1016
    2049 0202 0404 0604 0805 0911 1005 | 2050 0123 0404 0623 0823 0930 1024
"""


LUNAR_DAYS: Mapping[int, tuple[date, ...]] = {
    int(year): tuple(date(int(year), int(day[:2]), int(day[2:])) for day in days)
    for year, *days in map(str.split, _LUNAR_HOLIDAYS.replace("|", "\n").strip().splitlines())
}
NEW_YEAR, QINGMING, DRAGON_BOAT, QIXI, MID_AUTUMN, DOUBLE_NINTH = range(6)


def make_fixed_holiday(month: int, day: int, days: int = 1) -> HolidayOfYear:
    return lambda year: (date(year, month, day), days)


def make_lunar_holiday(feast: int, days: int = 1, *, after: int = 0) -> HolidayOfYear:
    """Return a holiday of the lunar table; it begins ``after`` days later."""

    def days_of(year: int) -> HolidayDays:
        if year not in LUNAR_DAYS:
            raise ValueError(year)
        return LUNAR_DAYS[year][feast] + timedelta(after), days

    return days_of


def make_nth_weekday_holiday(count: int, weekday: int, month: int, days: int = 1) -> HolidayOfYear:
    """Return the holiday on the ``count``-th ``weekday`` (Monday is 0) of a month; -1 is the last."""

    def days_of(year: int) -> HolidayDays:
        first = date(year, month + (count < 0), 1)
        ahead = (weekday - first.weekday()) % 7
        return first + timedelta(ahead + 7 * (count - (count > 0))), days

    return days_of


NATIONAL_DAY = make_fixed_holiday(10, 1, 7)

# By pattern in lower case. Where one name begins another, the longer stands first.
ENGLISH_HOLIDAYS: Mapping[str, HolidayOfYear] = {
    r"(?:chinese|lunar) new year|spring festival": make_lunar_holiday(NEW_YEAR, 8, after=-1),
    r"new year'?s eve": make_fixed_holiday(12, 31),
    r"new year'?s(?: day)?": make_fixed_holiday(1, 1),
    r"christmas eve": make_fixed_holiday(12, 24),
    r"boxing day": make_fixed_holiday(12, 26),
    r"(?:christmas|xmas)(?: day)?(?! (?:tree|card|carol|song|movie|market|sweater|cookie))": make_fixed_holiday(
        12, 24, 3
    ),
    r"valentine'?s(?: day)?": make_fixed_holiday(2, 14),
    r"st\.? patrick'?s day": make_fixed_holiday(3, 17),
    r"april fools'?(?: day)?": make_fixed_holiday(4, 1),
    r"halloween": make_fixed_holiday(10, 31),
    r"thanksgiving": make_nth_weekday_holiday(4, THURSDAY, 11, 4),
    r"black friday": lambda year: (make_nth_weekday_holiday(4, THURSDAY, 11)(year)[0] + timedelta(1), 1),
    r"easter(?: sunday| weekend)?(?! egg)": lambda year: (easter(year) - timedelta(2), 4),
    r"mother'?s day": make_nth_weekday_holiday(2, SUNDAY, 5),
    r"father'?s day": make_nth_weekday_holiday(3, SUNDAY, 6),
    r"labor day": make_nth_weekday_holiday(1, MONDAY, 9),
    r"memorial day": make_nth_weekday_holiday(-1, MONDAY, 5),
    r"independence day|(?:the )?(?:fourth|4th) of july": make_fixed_holiday(7, 4),
    r"lantern festival": make_lunar_holiday(NEW_YEAR, after=14),
    r"(?:qing ?ming|tomb[ -]sweeping)(?: festival| day)?": make_lunar_holiday(QINGMING, 3, after=-1),
    r"dragon boat festival": make_lunar_holiday(DRAGON_BOAT, 3),
    r"mid-autumn(?: festival)?": make_lunar_holiday(MID_AUTUMN, 2),
}

# By pattern in simplified characters.
CHINESE_HOLIDAYS: Mapping[str, HolidayOfYear] = {
    r"大年三十|年三十|除夕": make_lunar_holiday(NEW_YEAR, after=-1),
    r"大年初一|年初一": make_lunar_holiday(NEW_YEAR),
    r"春节|过年|大过年|农历新年": make_lunar_holiday(NEW_YEAR, 8, after=-1),
    r"元宵节|正月十五|闹元宵": make_lunar_holiday(NEW_YEAR, after=14),
    r"元旦|阳历新年": make_fixed_holiday(1, 1),
    r"情人节": make_fixed_holiday(2, 14),
    r"妇女节|三八节": make_fixed_holiday(3, 8),
    r"清明节?": make_lunar_holiday(QINGMING, 3, after=-1),
    r"五一(?![路街广大村镇中])|劳动节": make_fixed_holiday(5, 1, 5),
    r"青年节": make_fixed_holiday(5, 4),
    r"母亲节": make_nth_weekday_holiday(2, SUNDAY, 5),
    r"六一(?![路街广大村镇中])|儿童节": make_fixed_holiday(6, 1),
    r"端午节?": make_lunar_holiday(DRAGON_BOAT, 3),
    r"父亲节": make_nth_weekday_holiday(3, SUNDAY, 6),
    r"七夕节?": make_lunar_holiday(QIXI),
    r"教师节": make_fixed_holiday(9, 10),
    r"中秋节?": make_lunar_holiday(MID_AUTUMN, 2),
    r"国庆节?|十一(?=长假|假期|黄金周)": NATIONAL_DAY,
    r"重阳节?": make_lunar_holiday(DOUBLE_NINTH),
    r"万圣节": make_fixed_holiday(10, 31),
    r"双十一|双11": make_fixed_holiday(11, 11),
    r"感恩节": make_nth_weekday_holiday(4, THURSDAY, 11),
    r"平安夜": make_fixed_holiday(12, 24),
    r"圣诞节?(?![树老帽歌袜礼红])": make_fixed_holiday(12, 24, 3),
    r"跨年": make_fixed_holiday(12, 31, 2),
    r"暑假": make_fixed_holiday(7, 1, 62),
    r"寒假": make_fixed_holiday(1, 15, 40),
}
