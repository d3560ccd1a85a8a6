"""Small files in the true formats of what people bring, and what is in them."""

from __future__ import annotations

TMX = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4">
 <header creationtool="by hand" creationtoolversion="1" segtype="sentence" o-tmf="none" adminlang="en"
         srclang="de" datatype="plaintext"><note>not a <b>segment</b></note></header>
 <body>
  <tu tuid="1">
   <note>Haus</note>
   <tuv xml:lang="de-DE"><prop type="x">Unsinn</prop><seg>Das Haus
      ist alt &amp; groß.</seg></tuv>
   <tuv xml:lang="en-GB"><seg>The house is old &amp; big.</seg></tuv>
   <tuv xml:lang="fr"><seg>La maison est vieille.</seg></tuv>
  </tu>
  <tu><tuv xml:lang="de"><seg>Nur deutsch</seg></tuv></tu>
  <tu><tuv lang="EN_us"><seg>Click <bpt i="1">&lt;b&gt;</bpt><hi>here</hi><ept i="1">&lt;/b&gt;</ept>
    now<ph>{0}<sub>tooltip</sub>{1}</ph>.</seg></tuv><tuv lang="de"><seg>Jetzt <hi>hier</hi> klicken.</seg></tuv></tu>
  <tu><tuv xml:lang="de"><seg> </seg></tuv><tuv xml:lang="en"><seg>Nothing there</seg></tuv></tu>
 </body>
</tmx>
"""
TMX_PAIRS = [("Das Haus ist alt & groß.", "The house is old & big."), ("Jetzt hier klicken.", "Click here now.")]

PO_HEADER = r'''# German catalog.
#, fuzzy
msgid ""
msgstr ""
"Project-Id-Version: x 1.0\n"
"Language: de\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"
'''
PO = PO_HEADER + r'''
#: src/main.c:12
#, c-format
msgid "Cannot open file \"%s\".\n"
msgstr "Die Datei „%s“ kann nicht geöffnet werden.\n"

#. a long one
msgctxt "menu|file"
msgid ""
"First line\n"
"and second"
msgstr ""
"Erste Zeile\n"
"und zweite"
msgid "No blank line before"
msgstr "Keine Leerzeile davor"

#, c-format, fuzzy
#| msgid "Old text"
msgid "Fuzzy text"
msgstr "Unscharf"

msgid "Untranslated"
msgstr ""

msgid "%d house"
msgid_plural "%d houses"
msgstr[0] "%d Haus"
msgstr[1] "%d Häuser"

#, fuzzy
#~ msgid "Obsolete"
#~ msgstr "Veraltet"

msgid "_Open"
msgstr "Ö_ffnen"

msgid "Call AT&T"
msgstr "AT&T anrufen"

msgid "tab\there \x41\102"
msgstr "Tab\there"
'''
PO_PAIRS = [
    ('Cannot open file "%s".', "Die Datei „%s“ kann nicht geöffnet werden."),
    ("First line and second", "Erste Zeile und zweite"),
    ("No blank line before", "Keine Leerzeile davor"),
    ("%d house", "%d Haus"), ("%d houses", "%d Häuser"),
    ("Open", "Öffnen"), ("Call AT&T", "AT&T anrufen"), ("tab here AB", "Tab here"),
]  # fmt: skip

ARPA = """\\data\\
ngram 1=6
ngram 2=2

\\1-grams:
-1.0\t<unk>\t0
-99\t<s>\t-0.3
-0.5\t</s>\t0
-1.0\tcastle\t-0.2
-0.3\tlock\t-0.1
-0.7\tunheard\t0

\\2-grams:
-0.1\t<s> lock
-0.2\tlock </s>

\\end\\
"""

GRAMMAR = """\
[X] ||| das ||| the ||| EgivenFCoherent=0.1 CountEF=0.6 SampleCountF=0.7 ||| 0-0
[X] ||| schloss ||| castle ||| EgivenFCoherent=0.3 CountEF=0.6 SampleCountF=0.78 ||| 0-0
[X] ||| schloss ||| lock ||| EgivenFCoherent=0.4 CountEF=0.48 SampleCountF=0.78 ||| 0-0
[X] ||| [X,1] ist [X,2] ||| [2] is [1] ||| EgivenFCoherent=0.2 ||| 1-1
[X] ||| alt ||| old ||| EgivenFCoherent=0 ||| 0-0
"""
