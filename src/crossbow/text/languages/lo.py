"""Lao: written without spaces between words, which ICU's dictionary finds."""

from crossbow.text.languages import LANGUAGES, Language, digits

LANGUAGES.add("lo", Language(
    "lo", script="Lao", segmenters=("icu", "bigrams", "spaces"), unspaced=r"\p{Lao}", folds=digits("໐"), revision=2,
    rewrites=(("\u0ecd\u0eb2", "\u0eb3"), ("ຫມ", "\u0edd"), ("ຫນ", "\u0edc")),
    stopwords="""
        ຂ້ອຍ ຂ້າພະເຈົ້າ ເຮົາ ພວກ ເຈົ້າ ທ່ານ ລາວ ເຂົາ ມັນ ນີ້ ນັ້ນ ທີ່ ຊຶ່ງ ໃຜ ຫຍັງ ໃດ ທຸກ ແລະ ຫຼື ແຕ່ ຖ້າ ເພາະ ເພື່ອ
        ເມື່ອ ແລ້ວ ກໍ ໂດຍ ວ່າ ກັບ ຂອງ ໃນ ຈາກ ເຖິງ ຕາມ ກ່ອນ ຫຼັງ ດ້ວຍ ສໍາລັບ ກ່ຽວກັບ ເປັນ ແມ່ນ ຢູ່ ມີ ໄດ້ ໃຫ້ ຈະ
        ກໍາລັງ ຕ້ອງ ບໍ່ ໄປ ມາ ຂຶ້ນ ລົງ ກັນ ຫຼາຍ ກວ່າ ອີກ ການ ຄວາມ""",
    example=("ຫໍສະໝຸດເກົ່າມີປຶ້ມຫຼາຍຫົວກ່ຽວກັບທະເລ", "ຫໍສະໝຸດ ເກົ່າ ປຶ້ມ ຫົວ ທະເລ"),
))
