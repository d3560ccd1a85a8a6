"""Khmer: written without spaces between words, which ICU's dictionary finds."""

from crossbow.text.languages import LANGUAGES, Language, digits

LANGUAGES.add("km", Language(
    "km", script="Khmer", segmenters=("icu", "bigrams", "spaces"), unspaced=r"\p{Khmer}", folds=digits("០"), ends="៕",
    revision=2,
    stopwords="""
        ខ្ញុំ យើង អ្នក លោក គាត់ នាង គេ ពួក វា នេះ នោះ ដែល ណា អ្វី នរណា គ្រប់ និង ឬ ប៉ុន្តែ តែ បើ ប្រសិនបើ ព្រោះ ដោយ
        ដើម្បី ពេល ហើយ ក៏ ថា ជាមួយ របស់ នៃ ក្នុង លើ ក្រោម ពី ទៅ មក ដល់ តាម មុន ក្រោយ សម្រាប់ អំពី ជា គឺ នៅ មាន បាន
        ឱ្យ នឹង កំពុង ត្រូវ មិន ពុំ ទេ ច្រើន ជាង ទៀត ការ""",
    example=("បណ្ណាល័យចាស់មានសៀវភៅជាច្រើនអំពីសមុទ្រ", "បណ្ណាល័យ ចាស់ សៀវភៅ ជាច្រើន សមុទ្រ"),
))
