"""Persian: letters are unified as Lucene does for Arabic and then for Persian; non-joiners separate words."""

from crossbow.text.languages import LANGUAGES, Language, digits

LANGUAGES.add("fa", Language(
    "fa", script="Arabic", snowball="persian", nonjoiner=" ", revision=3,
    folds={"ي": "ی", "ى": "ی", "ے": "ی", "ك": "ک", "ۀ": "ه", "ہ": "ه", "ة": "ه", "أ": "ا", "إ": "ا",
           "آ": "ا",
           **dict.fromkeys("ـًٌٍَُِّْٔ", ""), **digits("٠"), **digits("۰")},
    stopwords="""
        من تو او وی ما شما آنها ایشان آنان خود خویش این آن اینها همین همان چنین چنان که چه کی کدام کسی چیزی هر همه
        هیچ یک چند بعضی برخی و یا اما ولی بلکه اگر چون زیرا تا هنگامی وقتی کجا چگونه چرا مانند مثل نیز هم پس در به از
        با بر برای بی بدون بین میان روی زیر پیش نزد درباره طی علیه سوی را است هست هستند بود بودند باشد باشند شد شده
        شود می نمی خواهد دارد دارند داشت کرد کرده کند کنند نیست نه بسیار خیلی فقط دیگر بیشتر کمتر اینجا آنجا اکنون ها
        های ای ی""",
    example=("در کتابخانه‌ی قدیمی کتاب‌های زیادی دربارهٔ دریا هست.", "کتابخ قدیمی کتاب زیادی دریا"),
))
