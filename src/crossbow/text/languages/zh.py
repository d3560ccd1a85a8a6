"""Chinese: and its sister languages. Overlapping pairs of characters need no dictionary; jieba and ICU know words."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("zh", Language(
    "zh", also=("yue", "wuu", "nan", "hak", "gan", "lzh"), script="Han", close=True, revision=2,
    segmenters=("bigrams", "jieba", "icu", "characters"),
    unspaced=r"\p{Han}",
    stopwords="""
        的 了 和 是 在 也 与 及 或 而 但 但是 并 并且 而且 因为 所以 如果 虽然 就 都 又 还 很 更 最 不 没 没有 把 被
        让 给 对 对于 关于 从 到 向 以 于 由 为 为了 之 其 此 该 这 那 这个 那个 这些 那些 哪 什么 谁 怎么 怎样 如何
        我 你 您 他 她 它 我们 你们 他们 她们 它们 自己 有 会 能 可以 可能 要 将 已 已经 着 过 得 地 吗 呢 吧 啊 们
        个 一个 一些 一种 每 各 等 等等 上 中 下 里 與 並 並且 因為 雖然 還 沒 沒有 讓 給 對 對於 關於 從 為 為了 這
        這個 這些 個 什麼 誰 怎麼 怎樣 我們 你們 他們 她們 它們 會 將 已經 著 過 嗎 們 一個 一種""",
    example=("老图书馆有很多关于海洋的书。", "老图 图书 书馆 馆有 有很 很多 多关 于海 海洋 洋的 的书"),
))
