"""Rows of About screens in many languages."""

from . import wording as w

# language: title, back, name, version, model name, model number, serial, coverage, songs, videos, photos, apps, capacity, free, Wi-Fi, Bluetooth, carrier
ABOUT = {
    "en": ("About", "General", "Name", "iOS Version", "Model Name", "Model Number", "Serial Number", "Limited Warranty", "Songs", "Videos", "Photos", "Applications", "Capacity", "Available", "Wi-Fi Address", "Bluetooth", "Modem Firmware"),
    "de": ("Info", "Allgemein", "Name", "iOS-Version", "Modellname", "Modellnummer", "Seriennummer", "Eingeschränkte Garantie", "Titel", "Videos", "Fotos", "Apps", "Kapazität", "Verfügbar", "WLAN-Adresse", "Bluetooth", "Modem-Firmware"),
    "fr": ("Informations", "Général", "Nom", "Version d’iOS", "Nom du modèle", "Numéro de modèle", "Numéro de série", "Garantie limitée", "Morceaux", "Vidéos", "Photos", "Applications", "Capacité", "Disponible", "Adresse Wi-Fi", "Bluetooth", "Programme interne"),
    "es": ("Información", "General", "Nombre", "Versión de iOS", "Nombre del modelo", "Número de modelo", "Número de serie", "Garantía limitada", "Canciones", "Vídeos", "Fotos", "Aplicaciones", "Capacidad", "Disponible", "Dirección Wi-Fi", "Bluetooth", "Firmware módem"),
    "it": ("Info", "Generali", "Nome", "Versione iOS", "Nome modello", "Numero modello", "Numero di serie", "Garanzia limitata", "Brani", "Video", "Foto", "Applicazioni", "Capacità", "Disponibili", "Indirizzo Wi-Fi", "Bluetooth", "Firmware modem"),
    "pt": ("Sobre", "Geral", "Nome", "Versão do iOS", "Nome do Modelo", "Número do Modelo", "Número de série", "Garantia Limitada", "Músicas", "Vídeos", "Fotos", "Aplicativos", "Capacidade", "Disponível", "Endereço Wi-Fi", "Bluetooth", "Firmware do Modem"),
    "nl": ("Info", "Algemeen", "Naam", "iOS-versie", "Modelnaam", "Modelnummer", "Serienummer", "Beperkte garantie", "Nummers", "Video’s", "Foto’s", "Programma’s", "Capaciteit", "Beschikbaar", "Wifi-adres", "Bluetooth", "Modemfirmware"),
    "sv": ("Om", "Allmänt", "Namn", "iOS-version", "Modellnamn", "Modellnummer", "Serienummer", "Begränsad garanti", "Låtar", "Videor", "Bilder", "Program", "Kapacitet", "Tillgängligt", "Wi-Fi-adress", "Bluetooth", "Modemprogram"),
    "da": ("Om", "Generelt", "Navn", "iOS-version", "Modelnavn", "Modelnummer", "Serienummer", "Begrænset garanti", "Sange", "Videoer", "Billeder", "Apps", "Kapacitet", "Tilgængelig", "Wi-Fi-adresse", "Bluetooth", "Modemfirmware"),
    "cs": ("Informace", "Obecné", "Název", "Verze iOS", "Název modelu", "Číslo modelu", "Sériové číslo", "Omezená záruka", "Skladby", "Videa", "Fotky", "Aplikace", "Kapacita", "K dispozici", "Adresa Wi-Fi", "Bluetooth", "Firmware modemu"),
    "ru": ("Об этом устройстве", "Основные", "Имя", "Версия iOS", "Название модели", "Номер модели", "Серийный номер", "Ограниченная гарантия", "Песни", "Видео", "Фото", "Приложения", "Емкость", "Доступно", "Адрес Wi-Fi", "Bluetooth", "Прошивка модема"),
    "zh": ("关于本机", "通用", "名称", "iOS版本", "型号名称", "型号号码", "序列号", "有限保修", "歌曲", "视频", "照片", "应用程序", "总容量", "可用容量", "无线局域网地址", "蓝牙", "调制解调器固件"),
    "ja": ("情報", "一般", "名前", "iOSバージョン", "機種名", "モデル番号", "シリアル番号", "限定保証", "曲", "ビデオ", "写真", "アプリ", "容量", "使用可能", "Wi-Fiアドレス", "Bluetooth", "モデムファームウェア"),
    "ko": ("정보", "일반", "이름", "iOS 버전", "모델명", "모델 번호", "일련번호", "제한 보증", "노래", "비디오", "사진", "응용 프로그램", "전체 공간", "사용 가능 공간", "Wi-Fi 주소", "Bluetooth", "모뎀 펌웨어"),
}
ORDER = ("title", "back", "name", "version", "model_name", "model_number", "serial", "coverage", "songs", "videos", "photos", "apps", "capacity", "free", "wifi", "bluetooth", "modem")

# Model, chip or processor, memory, start volume and graphics as in About This Mac; then the system.
MAC_WORDS = {
    "en": ("Chip", "Processor", "Memory", "Startup disk", "Graphics", "Serial number", "macOS", "More Info…", "About This Mac"),
    "de": ("Chip", "Prozessor", "Speicher", "Startvolume", "Grafikkarte", "Seriennummer", "macOS", "Weitere Infos …", "Über diesen Mac"),
    "fr": ("Puce", "Processeur", "Mémoire", "Disque de démarrage", "Graphismes", "Numéro de série", "macOS", "Plus d’infos…", "À propos de ce Mac"),
    "es": ("Chip", "Procesador", "Memoria", "Disco de arranque", "Gráficos", "Número de serie", "macOS", "Más información…", "Acerca de este Mac"),
    "it": ("Chip", "Processore", "Memoria", "Disco di avvio", "Grafica", "Numero di serie", "macOS", "Altre info…", "Informazioni su questo Mac"),
    "nl": ("Chip", "Processor", "Geheugen", "Opstartschijf", "Grafische kaart", "Serienummer", "macOS", "Meer info…", "Over deze Mac"),
    "cs": ("Čip", "Procesor", "Paměť", "Startovací disk", "Grafika", "Sériové číslo", "macOS", "Další informace…", "O tomto Macu"),
    "ru": ("Чип", "Процессор", "Память", "Загрузочный том", "Графика", "Серийный номер", "macOS", "Подробнее…", "Об этом Mac"),
    "zh": ("芯片", "处理器", "内存", "启动磁盘", "图形卡", "序列号", "macOS", "更多信息…", "关于本机"),
    "ja": ("チップ", "プロセッサ", "メモリ", "起動ディスク", "グラフィックス", "シリアル番号", "macOS", "詳しい情報…", "このMacについて"),
    "ko": ("칩", "프로세서", "메모리", "시동 디스크", "그래픽", "일련번호", "macOS", "추가 정보…", "이 Mac에 관하여"),
}
MACS = ("MacBook Pro", "MacBook Air", "iMac", "Mac mini", "Mac Studio")
CHIPS = ("Apple M1", "Apple M1 Pro", "Apple M2", "Apple M2 Max", "Apple M3", "Apple M4 Pro")
PROCESSORS = ("2.3 GHz 8-Core Intel Core i9", "1.4 GHz Quad-Core Intel Core i5", "2.7 GHz Intel Core i5", "3.1 GHz Dual-Core Intel Core i5", "2 GHz Intel Core 2 Duo")
SYSTEMS = (("macOS Big Sur", "11.7.10"), ("macOS Catalina", "10.15.7"), ("macOS Monterey", "12.6.1"), ("macOS Mojave", "10.14.6"), ("OS X El Capitan", "10.11.6"))


def language(rng, table) -> str:
    """English in two of five pictures, otherwise any language of `table`."""
    return "en" if rng.random() < 0.4 else w.pick(rng, list(table))


def about(lang: str, serial: str, rng, device: str) -> list[list[tuple[str, str, bool]]]:
    """Cards of (label, value, is the serial's row) as in Settings > General > About."""
    words = dict(zip(ORDER, ABOUT[lang]))
    system = "iPadOS" if device == "iPad" else "iOS"
    version = words["version"].replace("iOS", system)
    owner = w.pick(rng, ("Anna", "Mehmet", "iPhone", "Kiosk 4", "Jo’s phone", "Lager 2", "Priya", "Test 12", "Demo"))
    name = w.pick(rng, ("iPhone 15 Pro", "iPhone 13", "iPhone 11", "iPhone SE", "iPhone 14", "iPhone XR")) if device == "iPhone" else w.pick(rng, ("iPad (9th generation)", "iPad Air", "iPad Pro 11\""))
    first = [(words["name"], owner, False), (version, f"{rng.integers(12, 19)}.{rng.integers(0, 7)}.{rng.integers(0, 3)}", False),
             (words["model_name"], name, False), (words["model_number"], w.part(rng), False)]
    if serial:
        first.append((words["serial"], serial, True))
    counts = [(words[k], f"{rng.integers(0, 20000):,}".replace(",", w.pick(rng, ",. ")), False) for k in ("songs", "videos", "photos", "apps")]
    store = int(w.pick(rng, (32, 64, 128, 256, 512)))
    counts += [(words["capacity"], f"{store} GB", False), (words["free"], f"{rng.uniform(1, store):.2f} GB", False)]
    radio = [(words["wifi"], w.mac(rng), False), (words["bluetooth"], w.mac(rng), False), (words["modem"], f"{rng.integers(1, 6)}.{rng.integers(10, 60)}.{rng.integers(0, 9):02d}", False),
             ("SEID", w.code(rng, "x" * 24), False)]
    phone = [("IMEI", w.imei_spaced(rng), False), ("ICCID", w.iccid(rng), False), ("EID", w.eid(rng), False), ("MEID", w.imei(rng)[:14], False)]
    order = rng.random()
    if order < 0.6:
        cards = [first, [(words["coverage"], "›", False)], counts, radio]
    else:
        cards = [first[:2], counts, first[2:4] + radio[:1] + first[4:], radio[1:]]
    return cards + ([phone] if device == "iPhone" or rng.random() < 0.3 else [])
