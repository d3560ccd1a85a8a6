"""Vietnamese: whose syllables stand apart, so words are several tokens."""

from crossbow.text.languages import LANGUAGES, Language

LANGUAGES.add("vi", Language(
    "vi", revision=2,
    stopwords="""
        tôi ta mình chúng bạn anh chị em ông bà cô họ nó này kia ấy đó đây nọ gì ai nào đâu sao các những mọi mỗi
        từng một cái con chiếc sự việc và hoặc hay nhưng mà song nếu thì vì do nên tuy dù rằng là như bởi để khi lúc
        trong ngoài trên dưới trước sau giữa với cùng cho của từ đến tới tại về theo qua bằng ở ra vào lên xuống đã
        đang sẽ vừa mới rồi chưa không chẳng đừng hãy được bị phải có thể cần cũng vẫn còn chỉ lại rất quá lắm hơn
        nhất thế vậy nữa đều""",
    example=("Thư viện cũ có nhiều sách về biển.", "thư viện cũ nhiều sách biển"),
))
