"""Indonesian: and Malay, whose endings are the same."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("id", Language(
    "id", also=("ms",), snowball="indonesian", revision=2,
    stopwords="""
        saya aku kamu anda engkau dia ia beliau kami kita kalian mereka ini itu tersebut yang siapa apa mana
        bagaimana mengapa kapan berapa sesuatu seseorang semua setiap tiap para sang si dan atau tetapi tapi namun
        melainkan serta bahwa jika kalau apabila karena sebab sehingga agar supaya meskipun walaupun ketika saat
        sambil sejak sebelum setelah sesudah hingga sampai seperti sebagai di ke dari pada untuk dengan oleh tentang
        dalam antara tanpa bagi terhadap atas bawah menurut melalui selama adalah ialah merupakan ada akan sudah
        telah sedang masih belum tidak bukan jangan bisa dapat harus boleh perlu juga saja hanya pun lagi lebih
        paling sangat sekali lain hal sini situ sana""",
    example=("Perpustakaan tua itu memiliki banyak buku tentang laut.", "pustaka tua pilik banyak buku laut"),
))
