"""Swahili."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("sw", Language(
    "sw", revision=2,
    stopwords="""
        mimi wewe yeye sisi ninyi wao yangu yako yake yetu yenu yao wangu wako wake wetu hii hizi huu hiyo hizo hilo
        huyo hawa yule wale ile zile nani nini gani kila wote yote zote na au lakini bali kwamba kama ili kwa sababu
        wakati ambapo wapi lini vipi pia ya wa za la cha vya katika kwenye kutoka hadi bila kuhusu ni si ndiyo hapana
        alikuwa ilikuwa kuwa ana wana ina kuna sana tu bado tayari zaidi hapa huko sasa nyingine mwingine""",
    example=("Maktaba ya zamani ina vitabu vingi kuhusu bahari.", "maktaba zamani vitabu vingi bahari"),
))
