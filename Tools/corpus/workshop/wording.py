"""What rows of an About screen are called in the languages that reading must know."""

# title, about words: name, version, model name, model number, serial number, songs, photos, capacity, available, wifi, bluetooth
LANGUAGES = {
    "en": ["About", "Name", "iOS Version", "Model Name", "Model Number", "Serial Number", "Songs", "Photos", "Capacity", "Available", "Wi-Fi Address", "Bluetooth"],
    "de": ["Info", "Name", "iOS-Version", "Modellname", "Modellnummer", "Seriennummer", "Titel", "Fotos", "Gesamtkapazität", "Verfügbar", "WLAN-Adresse", "Bluetooth"],
    "fr": ["Informations", "Nom", "Version d’iOS", "Nom du modèle", "Numéro de modèle", "Numéro de série", "Morceaux", "Photos", "Capacité", "Disponible", "Adresse Wi-Fi", "Bluetooth"],
    "es": ["Información", "Nombre", "Versión de iOS", "Nombre del modelo", "Número de modelo", "Número de serie", "Canciones", "Fotos", "Capacidad", "Disponible", "Dirección Wi-Fi", "Bluetooth"],
    "it": ["Info", "Nome", "Versione iOS", "Nome modello", "Numero modello", "Numero di serie", "Brani", "Foto", "Capacità", "Disponibili", "Indirizzo Wi-Fi", "Bluetooth"],
    "pt": ["Sobre", "Nome", "Versão do iOS", "Nome do Modelo", "Número do Modelo", "Número de Série", "Músicas", "Fotos", "Capacidade", "Disponível", "Endereço Wi-Fi", "Bluetooth"],
    "nl": ["Info", "Naam", "iOS-versie", "Modelnaam", "Modelnummer", "Serienummer", "Nummers", "Foto’s", "Capaciteit", "Beschikbaar", "Wifi-adres", "Bluetooth"],
    "sv": ["Om", "Namn", "iOS-version", "Modellnamn", "Modellnummer", "Serienummer", "Låtar", "Bilder", "Kapacitet", "Tillgängligt", "Wi-Fi-adress", "Bluetooth"],
    "cs": ["Informace", "Název", "Verze iOS", "Název modelu", "Číslo modelu", "Sériové číslo", "Skladby", "Fotky", "Kapacita", "Dostupné", "Wi-Fi adresa", "Bluetooth"],
    "ru": ["Об этом устройстве", "Имя", "Версия iOS", "Название модели", "Номер модели", "Серийный номер", "Песни", "Фото", "Всего памяти", "Доступно", "Адрес Wi-Fi", "Bluetooth"],
    "zh": ["关于本机", "名称", "iOS版本", "型号名称", "型号号码", "序列号", "歌曲", "照片", "总容量", "可用容量", "无线局域网地址", "蓝牙"],
    "ja": ["情報", "名前", "iOSバージョン", "機種名", "モデル番号", "シリアル番号", "曲", "写真", "容量", "使用可能", "Wi-Fiアドレス", "Bluetooth"],
    "ko": ["정보", "이름", "iOS 버전", "모델명", "모델 번호", "일련번호", "노래", "사진", "총 용량", "사용 가능 공간", "Wi-Fi 주소", "Bluetooth"],
}
SHARES = {"en": 0.46, "de": 0.08, "fr": 0.06, "es": 0.06, "it": 0.04, "pt": 0.05, "nl": 0.03, "sv": 0.03, "cs": 0.03, "ru": 0.04, "zh": 0.05, "ja": 0.04, "ko": 0.03}
CJK = {"zh", "ja", "ko"}


def language(rng) -> str:
    """A language, English most often."""
    names = list(SHARES)
    return str(rng.choice(names, p=[SHARES[name] for name in names]))


def faces(name: str, pair: tuple[str, str]) -> tuple[str, str, str]:
    """Faces for labels, bold labels and values: CJK text needs its own, Cyrillic one that has it."""
    if name in CJK:
        return f"cjk-{name}", f"cjk-{name}-bold", pair[0]
    return pair[0], pair[1], pair[0]
