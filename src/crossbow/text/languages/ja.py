"""Japanese."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("ja", Language(
    "ja", script="Han and kana", segmenters=("sudachi", "bigrams"), close=True,
    unspaced=r"\p{Han}\p{Hiragana}\p{Katakana}ー",
    stopwords="""
        の に は を が と で も へ や か から まで より など だけ ほど ばかり しか さえ こそ でも ので のに ながら
        つつ ば て た だ です ます でし まし だっ だろう でしょう ない なかっ なく ぬ ず ん れ られ れる られる せ
        させ せる させる する し さ すれ せよ いる い ある あり あっ なる なり なっ これ それ あれ この その あの
        どの ここ そこ こと もの ため よう とき ところ および 及び 又は または また そして しかし ただし なお""",
    example=("古い図書館には海の本がたくさんある。", "古い 図書 館 海 本 たくさん"),
))
