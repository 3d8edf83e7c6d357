"""Labels in scripts that `eng` does not support, with the words that the model outputs for them.

The reader need not read Chinese, only distinguish the serial's label from the other labels of an About page. Therefore
the model outputs `Serial` for the serial's label and `Model` for any other, which the rules for labels know.
"""

from compose_text import Line, pick, serial

SERIAL = {
    "han": ["序列号", "序列号", "序列号", "序列號", "序號"],
    "kana": ["シリアル番号"],
    "hangul": ["일련번호", "일련 번호"],
    "cyrillic": ["Серийный номер"],
}
# Other labels on the same devices' pages.
OTHERS = {
    "han": [
        "型号名称",
        "型号号码",
        "型号",
        "型號",
        "无线局域网地址",
        "Wi-Fi 地址",
        "蓝牙",
        "芯片",
        "内存",
        "启动磁盘",
        "总容量",
        "可用容量",
        "iOS 版本",
        "软件版本",
        "版本",
        "名称",
        "调制解调器固件",
        "处理器",
        "图形卡",
        "歌曲",
        "视频",
        "照片",
        "应用程序",
        "关于本机",
        "有限保修",
        "更多信息…",
    ],
    "kana": [
        "機種名",
        "モデル番号",
        "モデル名",
        "Wi-Fiアドレス",
        "ブルートゥース",
        "チップ",
        "メモリ",
        "起動ディスク",
        "容量",
        "使用可能",
        "iOSバージョン",
        "システムバージョン",
        "名前",
        "モデムファームウェア",
        "プロセッサ",
        "グラフィックス",
        "曲",
        "ビデオ",
        "写真",
        "アプリケーション",
        "情報",
        "詳しい情報...",
    ],
    "hangul": [
        "모델명",
        "모델 번호",
        "모델 이름",
        "Wi-Fi 주소",
        "블루투스",
        "칩",
        "메모리",
        "시동 디스크",
        "저장 용량",
        "사용 가능 공간",
        "iOS 버전",
        "소프트웨어 버전",
        "이름",
        "모뎀 펌웨어",
        "프로세서",
        "그래픽",
        "노래",
        "비디오",
        "사진",
        "응용 프로그램",
        "정보",
        "추가 정보...",
    ],
    "cyrillic": [
        "Название модели",
        "Номер модели",
        "Модель",
        "Адрес Wi-Fi",
        "Чип",
        "Память",
        "Загрузочный диск",
        "Емкость",
        "Доступно",
        "Версия iOS",
        "Версия ПО",
        "Имя",
        "Прошивка модема",
        "Процессор",
        "Графика",
        "Песни",
        "Видео",
        "Фото",
        "Приложения",
        "Об этом Mac",
        "Подробнее...",
    ],
}
SCRIPTS = ("han", "kana", "hangul", "cyrillic")
SHARES = (0.34, 0.22, 0.22, 0.22)

_WORDS = {text: "Serial" for texts in SERIAL.values() for text in texts}
_WORDS |= {text: "Model" for texts in OTHERS.values() for text in texts}


def word_for(label):
    """Returns the model's output for a label; the label itself if it needs no other word."""
    return _WORDS.get(label, label)


def compose(rng):
    """Returns (script, line): a label alone, as the reader cuts it out of a row, or with the value beside it."""
    script = SCRIPTS[rng.choice(len(SCRIPTS), p=SHARES)]
    is_serial = rng.random() < 0.55
    label = pick(rng, (SERIAL if is_serial else OTHERS)[script])
    value = serial(rng) if is_serial and rng.random() < 0.5 else ""
    return script, Line(label, value, value)
