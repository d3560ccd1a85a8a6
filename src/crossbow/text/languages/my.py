"""Burmese: written without spaces between words, which ICU's dictionary finds."""

from crossbow.text.languages import LANGUAGES, Language, digits

LANGUAGES.add("my", Language(
    "my", script="Myanmar", segmenters=("icu", "bigrams", "spaces"),
    unspaced=r"\p{Myanmar}", folds=digits("၀"), revision=2,
    stopwords="""
        ကျွန်တော် ကျွန်မ ငါ သင် သူ သူမ သူတို့ ကျွန်ုပ် ဒီ ဤ ထို အဲဒီ ယင်း ဘယ် ဘာ ဘယ်သူ နှင့် သို့မဟုတ် ဒါပေမယ့်
        သို့သော် အကြောင်း အတွက် တွင် မှာ ၌ မှ က ကို ၏ ရဲ့ သည် တယ် မည် မယ် ပြီး ပြီ သော တဲ့ များ တွေ လည်း ပဲ သာ ဖြစ်
        ရှိ မရှိ မ ဘူး နိုင် ရ ခဲ့ နေ ပါ""",
    example=("စာကြည့်တိုက်ဟောင်းတွင် ပင်လယ်အကြောင်း စာအုပ်များစွာ ရှိသည်။", "စာကြည့်တိုက် ဟောင်း ပင်လယ် စာအုပ် စွာ"),
))
