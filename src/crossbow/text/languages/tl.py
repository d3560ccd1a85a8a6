"""Tagalog, and Filipino, its standard."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("tl", Language(
    "tl", also=("fil",),
    stopwords="""
        ang ng sa na ay at mga si ni kay sina nina kina ako ko akin aking ikaw ka mo iyo iyong siya niya kanya kanyang
        kami namin amin aming tayo natin atin ating kayo ninyo inyo inyong sila nila kanila kanilang ito nito dito rito
        ganito iyan niyan diyan ganyan iyon niyon doon roon ganoon sino ano anong alin kanino saan nasaan kailan paano
        bakit gaano ilan ilang lahat bawat isa isang iba ibang hindi wala walang huwag may mayroon mayroong meron kung
        kapag pag dahil sapagkat para pero ngunit subalit o kaya upang habang nang kasi hanggang mula tungkol bilang
        ayon pa rin din lang lamang daw raw po ho ba naman nga pala yata sana muna mas pinaka napaka maging naging
        noong ngayon marami maraming nasa""",
    example=("Ang lumang aklatan ay may maraming aklat tungkol sa dagat.", "lumang aklatan aklat dagat"),
))
