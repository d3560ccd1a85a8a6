"""Thai: written without spaces between words, which ICU's dictionary finds."""

from crossbow.text.languages import LANGUAGES, Language, digits

LANGUAGES.add("th", Language(
    "th", script="Thai", segmenters=("icu", "bigrams", "spaces"), unspaced=r"\p{Thai}", folds=digits("๐"), revision=2,
    rewrites=(("\u0e4d\u0e32", "\u0e33"),),  # SARA AM is one character, also in ICU's dictionary
    stopwords="""
        ฉัน ผม ดิฉัน เรา คุณ ท่าน เธอ เขา มัน พวก นี้ นั้น โน้น นี่ นั่น อัน ที่ ซึ่ง ใคร อะไร ไหน ใด ทุก แต่ละ บาง
        หลาย และ หรือ แต่ ถ้า หาก เพราะ เนื่องจาก เพื่อ เมื่อ ขณะ แล้ว ก็ จึง ดังนั้น โดย ว่า เช่น ทั้ง กับ แก่ ต่อ
        ของ ใน บน ใต้ จาก ถึง ตาม ระหว่าง ก่อน หลัง ด้วย สำหรับ เกี่ยว เกี่ยวกับ เป็น คือ อยู่ มี ได้ ให้ จะ กำลัง เคย ต้อง
        ควร อาจ ไม่ มิ ไป มา ขึ้น ลง ออก เข้า กัน เอง มาก น้อย กว่า ที่สุด อีก แค่ เพียง การ ความ ๆ นะ ครับ ค่ะ""",
    example=("ห้องสมุดเก่ามีหนังสือเกี่ยวกับทะเลมากมาย", "ห้อง สมุด เก่า หนังสือ ทะเล มากมาย"),
))
