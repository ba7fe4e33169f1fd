"""Which product a prompt is about, so that 200 practice pictures can be told apart at a glance."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

from desktop_app.practice import wares_home, wares_soft, wares_table
from desktop_app.practice.pen import Pen

Draw = Callable[[Pen], None]

_KEYWORDS: tuple[tuple[Draw, str], ...] = (
    (wares_soft.boot, "boot|boots|靴"),
    (
        wares_soft.shoe,
        "shoe|shoes|sneaker|sneakers|loafer|loafers|trainer|trainers|slipper|slippers|sandal|"
        "sandals|鞋",
    ),
    (wares_soft.backpack, "backpack|rucksack|双肩包|背包|书包"),
    (
        wares_soft.bag,
        "bag|tote|handbag|purse|wallet|satchel|clutch|手提包|斜挎包|挎包|托特包|钱包|腰包|"
        "手袋|包袋|水桶包",
    ),
    (wares_soft.dress, "dress|skirt|qipao|cheongsam|旗袍|连衣裙|裙"),
    (
        wares_soft.shirt,
        "shirt|t-shirt|tee|hoodie|jacket|coat|sweater|cardigan|blouse|pyjamas|衬衫|T恤|卫衣|"
        "外套|毛衣|夹克|大衣|羽绒服|睡衣|上衣|风衣|衫",
    ),
    (wares_soft.hat, "hat|cap|beanie|帽"),
    (
        wares_soft.pillow,
        "pillow|cushion|duvet|bedding|blanket|towel|rug|抱枕|枕头|枕|被|毛毯|浴巾|毛巾|地毯|四件套",
    ),
    (wares_soft.bear, "toy|teddy|plush|doll|bear|玩偶|玩具|公仔|毛绒"),
    (wares_table.teapot, "teapot|kettle|茶壶|紫砂壶|电水壶|水壶|壶"),
    (wares_table.mug, "mug|cup|espresso|马克杯|咖啡杯|茶杯|杯"),
    (wares_table.bowl, "bowl|plate|dish|tableware|pan|wok|skillet|pot|碗|盘|碟|餐具|锅"),
    (wares_table.vase, "vase|bouquet|plant|succulent|花瓶|绿植|多肉|鲜花|盆栽"),
    (wares_table.candle, "candle|diffuser|香薰|蜡烛"),
    (wares_table.jar, "jar|honey|jam|balm|cream jar|face cream|罐|蜂蜜|果酱|面霜|眼霜"),
    (wares_table.perfume, "perfume|fragrance|cologne|nail polish|香水|指甲油"),
    (
        wares_table.bottle,
        "bottle|flask|thermos|tumbler|serum|shampoo|lotion|wine bottle|juice|soy sauce|"
        "olive oil|sunscreen|保温杯|瓶|精华|洗发水|沐浴露|乳液|红酒|白酒|葡萄酒|酱油|橄榄油|"
        "果汁|防晒",
    ),
    (wares_table.lipstick, "lipstick|lip gloss|mascara|口红|唇膏|唇釉|睫毛膏"),
    (
        wares_home.lamp,
        "lamp|desk lamp|table lamp|floor lamp|bedside lamp|lantern|night light|"
        "台灯|落地灯|吊灯|小夜灯|灯",
    ),
    (wares_home.sofa, "sofa|couch|armchair|沙发"),
    (wares_home.chair, "chair|stool|bench|椅|凳"),
    (wares_home.table, "desk|table|shelf|cabinet|书桌|餐桌|茶几|桌|柜"),
    (wares_home.watch, "watch|wristwatch|smartwatch|手表|腕表|手环"),
    (wares_home.clock, "clock|table clock|wall clock|alarm clock|时钟|闹钟|挂钟|座钟"),
    (wares_home.headphones, "headphones|headphone|headset|earbuds|earphones|耳机"),
    (wares_home.phone, "phone|smartphone|tablet|power bank|charger|手机|平板|充电宝|充电器"),
    (wares_home.speaker, "speaker|radio|humidifier|音箱|音响|收音机|加湿器"),
    (wares_home.keyboard, "keyboard|laptop|键盘|笔记本电脑"),
    (wares_home.glasses, "glasses|sunglasses|眼镜|墨镜|太阳镜"),
    (wares_home.book, "notebook|book|planner|diary|笔记本|手账|日历|绘本|书"),
    (wares_home.umbrella, "umbrella|parasol|雨伞|伞"),
    (
        wares_home.ring_,
        "ring|necklace|bracelet|earring|earrings|jewellery|jewelry|pendant|戒指|项链|手链|"
        "耳环|吊坠|手镯",
    ),
    (
        wares_home.gift,
        "box|gift|hamper|mooncake|mooncakes|chocolates|coffee beans|礼盒|月饼|盒|粽|茶叶|坚果",
    ),
)


def _compile() -> list[tuple[re.Pattern[str], int, Draw]]:
    compiled = []
    for draw, words in _KEYWORDS:
        for word in words.split("|"):
            pattern = rf"\b{re.escape(word)}s?\b" if word[0].isascii() and word != "T恤" else word
            compiled.append((re.compile(pattern, re.IGNORECASE), len(word), draw))
    return compiled


_PATTERNS = _compile()


def product_for(prompt: str) -> Draw:
    """The silhouette of the product named first; an unnamed product gets one by its hash."""
    best: tuple[int, int, Draw] | None = None
    for pattern, length, draw in _PATTERNS:
        found = pattern.search(prompt)
        # Of two at one place the longer word wins: 书包 is a bag, 书 a book.
        if found and (best is None or (found.start(), -length) < (best[0], best[1])):
            best = (found.start(), -length, draw)
    if best is not None:
        return best[2]
    fallback = (
        wares_home.gift,
        wares_table.bottle,
        wares_table.jar,
        wares_table.vase,
        wares_table.perfume,
    )
    return fallback[hashlib.sha256(prompt.encode()).digest()[3] % len(fallback)]
