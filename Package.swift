// swift-tools-version: 6.1
import PackageDescription

/// The modules in the order a photo passes them; `docs/architecture.md` has the drawing.
let package = Package(
  name: "SerialScan",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "serialscan", targets: ["serialscan"])
  ],
  dependencies: [
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: ["FullFoundation"]),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.90.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.30.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
    // The client that apps use too: `watch` sends photos by it, and end-to-end tests ask servers by it.
    .package(name: "SerialScanClient", path: "Clients/Swift"),
  ],
  targets: [
    // C libraries from Debian.
    .systemLibrary(name: "CLeptonica", pkgConfig: "lept", providers: [.apt(["libleptonica-dev"])]),
    .systemLibrary(name: "CTesseract", pkgConfig: "tesseract", providers: [.apt(["libtesseract-dev"])]),
    .systemLibrary(name: "CHeif", pkgConfig: "libheif", providers: [.apt(["libheif-dev"])]),
    .systemLibrary(name: "CZBar", pkgConfig: "zbar", providers: [.apt(["libzbar-dev"])]),
    .systemLibrary(name: "CZXing", pkgConfig: "zxing", providers: [.apt(["libzxing-dev"])]),
    .systemLibrary(name: "CXLSXWriter", pkgConfig: "xlsxwriter", providers: [.apt(["libxlsxwriter-dev"])]),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CSeccomp", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
    .systemLibrary(name: "CMalloc"),
    .target(name: "CZXingShim", dependencies: ["CZXing"]),
    .target(name: "CTesseractShortcuts", dependencies: ["CLeptonica"]),
    .target(name: "CTesseractLattice", dependencies: ["CTesseract"]),

    // Files of the repository that travel inside the binary: settings, migrations, the model, the page.
    .target(name: "EmbeddedFiles"),

    // A value under its lock, for the modules that share one between threads.
    .target(name: "Locking"),

    // The standard streams, whatever state they are in.
    .target(name: "StandardStreams", dependencies: ["Locking"]),

    // The moments at which tests end the program; nothing happens at them in the program that is served.
    .target(name: "FaultPoints", dependencies: ["Locking"]),

    // Values every module speaks in.
    .target(name: "AppleSerial"),
    .target(name: "ReaderProtocol", dependencies: ["AppleSerial"]),
    .target(name: "TrackingProtocol"),
    .target(name: "Measurements"),
    .target(
      name: "Settings", dependencies: ["EmbeddedFiles", "ReaderProtocol", .product(name: "Yams", package: "Yams")]),

    // The one way in which files that somebody names are opened.
    .target(name: "RegularFile"),

    // Reading: one photo in, one `Reading` out. No I/O beyond the photo.
    .target(name: "PictureHeader", dependencies: ["RegularFile"]),
    .target(name: "Imaging", dependencies: ["PictureHeader", "CLeptonica", "CHeif"]),
    .target(name: "BarcodeReading", dependencies: ["Imaging", "CZBar", "CZXingShim"]),
    .target(
      name: "TextReading",
      dependencies: ["Imaging", "CTesseract", "CTesseractLattice", "CTesseractShortcuts", "EmbeddedFiles"],
      exclude: ["Model"]),
    .target(
      name: "SerialReading",
      dependencies: ["AppleSerial", "ReaderProtocol", "Imaging", "BarcodeReading", "TextReading"]),

    // Following: one frame after another in, where each object is out. No I/O at all.
    .target(name: "Tracking"),
    .target(name: "FrameTracking", dependencies: ["Imaging", "Tracking", "TrackingProtocol"]),
    .target(name: "FrameReading", dependencies: ["Imaging", "ReaderProtocol", "SerialReading", "Tracking"]),

    // The pipeline around it.
    .target(name: "CChildProcess", dependencies: ["CSeccomp"]),
    .target(
      name: "ChildProcess",
      dependencies: ["CChildProcess", "Locking", .product(name: "Logging", package: "swift-log")]),
    .target(
      name: "ReaderProcess",
      dependencies: [
        "ChildProcess", "FaultPoints", "ReaderProtocol", "RegularFile",
        .product(name: "Logging", package: "swift-log"),
      ]),
    .target(
      name: "TrackingProcess",
      dependencies: ["ChildProcess", "TrackingProtocol", .product(name: "Logging", package: "swift-log")]),
    .target(name: "TrackingSessions", dependencies: ["AppleSerial", "ReaderProtocol", "TrackingProtocol"]),
    .target(name: "JobStore", dependencies: ["FaultPoints", "Locking", "ReaderProtocol"]),
    .target(
      name: "BlobFiles",
      dependencies: [
        "FaultPoints", "JobStore", "Locking", "RegularFile", .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    .target(
      name: "SQLiteStore",
      dependencies: [
        "BlobFiles", "EmbeddedFiles", "FaultPoints", "JobStore", "Locking", "ReaderProtocol",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .target(name: "PostgresClient", dependencies: ["CPostgres", "Locking"]),
    .target(
      name: "PostgresStore",
      dependencies: [
        "BlobFiles", "EmbeddedFiles", "FaultPoints", "JobStore", "Locking", "PostgresClient", "ReaderProtocol",
      ]),
    .target(
      name: "JobRunner",
      dependencies: [
        "ChildProcess", "JobStore", "Locking", "Measurements", "ReaderProcess", "ReaderProtocol",
        .product(name: "Logging", package: "swift-log"),
      ]),
    .target(
      name: "Reports",
      dependencies: [
        "JobStore", "AppleSerial", "Locking", "ReaderProtocol", "RegularFile", "CXLSXWriter",
      ]),
    .target(name: "WireJSON"),
    .target(
      name: "Evaluations",
      dependencies: [
        "BlobFiles", "JobStore", "Locking", "ReaderProtocol", "Reports", "WireJSON",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .target(
      name: "AccessKeys",
      dependencies: [
        "CSodium", "JobStore", .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .target(name: "MultipartParsing"),
    .target(
      name: "HTTPAPI",
      dependencies: [
        "AccessKeys", "AppleSerial", "BlobFiles", "CSodium", "EmbeddedFiles", "Evaluations", "FaultPoints", "JobStore",
        "Locking", "Measurements", "MultipartParsing", "PictureHeader", "ReaderProtocol", "Reports", "Settings",
        "StandardStreams",
        "TrackingProtocol", "TrackingSessions", "WireJSON",
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Logging", package: "swift-log"),
      ],
      exclude: ["Pages"]),

    // The one place where the parts are put together, and the program.
    .target(
      name: "Commands",
      dependencies: [
        "AccessKeys", "AppleSerial", "CMalloc", "CSodium", "ChildProcess", "Evaluations", "FaultPoints",
        "FrameReading",
        "FrameTracking",
        "HTTPAPI", "Imaging", "JobRunner", "JobStore", "Locking", "Measurements", "PictureHeader", "PostgresStore",
        "ReaderProcess",
        "ReaderProtocol", "RegularFile", "Reports", "SQLiteStore", "SerialReading", "Settings", "StandardStreams",
        "TextReading",
        "Tracking", "TrackingProcess", "TrackingProtocol", "TrackingSessions", "WireJSON",
        .product(name: "SerialScanClient", package: "SerialScanClient"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .executableTarget(name: "serialscan", dependencies: ["Commands", "StandardStreams"]),

    .testTarget(name: "AppleSerialTests", dependencies: ["AppleSerial"]),
    .testTarget(name: "TrackingTests", dependencies: ["Tracking"]),
    .testTarget(name: "StandardStreamsTests", dependencies: ["StandardStreams"]),
    .testTarget(
      name: "TrackingSessionsTests",
      dependencies: ["Locking", "ReaderProtocol", "TrackingProtocol", "TrackingSessions"]),
    .testTarget(name: "EvaluationsTests", dependencies: ["Evaluations", "JobStore"]),
    .testTarget(name: "SettingsTests", dependencies: ["Settings"]),
    .testTarget(name: "PictureHeaderTests", dependencies: ["PictureHeader"]),
    .testTarget(name: "ImagingTests", dependencies: ["Imaging"]),
    .testTarget(name: "BarcodeReadingTests", dependencies: ["BarcodeReading", "Imaging"]),
    .testTarget(name: "TextReadingTests", dependencies: ["TextReading", "Imaging", "CTesseractShortcuts"]),
    .testTarget(
      name: "SerialReadingTests",
      dependencies: [
        "SerialReading", "BarcodeReading", "TextReading", "Imaging", "AppleSerial", "ReaderProtocol", "Settings",
      ]),
    // A reader, or a tracker, that crashes, hangs, lies and eats memory when told to.
    .executableTarget(
      name: "FaultyReader",
      dependencies: ["ChildProcess", "ReaderProcess", "ReaderProtocol", "TrackingProcess", "TrackingProtocol"],
      path: "Tests/FaultyReader"),
    .testTarget(
      name: "ReaderProcessTests",
      dependencies: ["ChildProcess", "Locking", "ReaderProcess", "ReaderProtocol", "FaultyReader"]),
    .testTarget(
      name: "TrackingProcessTests",
      dependencies: ["ChildProcess", "TrackingProcess", "TrackingProtocol", "FaultyReader"]),
    // What every store promises, held against each of them.
    .target(
      name: "StoreConformance", dependencies: ["JobStore", "Locking", "ReaderProtocol"],
      path: "Tests/StoreConformance"),
    .testTarget(
      name: "SQLiteStoreTests",
      dependencies: [
        "JobStore", "Locking", "ReaderProtocol", "SQLiteStore", "StoreConformance",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .testTarget(name: "PostgresClientTests", dependencies: ["Locking", "PostgresClient"]),
    .testTarget(
      name: "PostgresStoreTests",
      dependencies: ["JobStore", "Locking", "PostgresClient", "PostgresStore", "ReaderProtocol", "StoreConformance"]),
    .testTarget(
      name: "JobRunnerTests",
      dependencies: [
        "ChildProcess", "JobRunner", "JobStore", "Locking", "Measurements", "ReaderProcess", "ReaderProtocol",
        "StoreConformance",
        "FaultyReader",
      ]),
    .testTarget(name: "ReportsTests", dependencies: ["Reports", "JobStore", "ReaderProtocol", "SQLiteStore"]),
    .testTarget(name: "MultipartParsingTests", dependencies: ["MultipartParsing"]),
    .testTarget(name: "FuzzingTests", dependencies: ["CZXingShim", "MultipartParsing", "PictureHeader"]),
    .testTarget(
      name: "HTTPAPITests",
      dependencies: [
        "AccessKeys", "EmbeddedFiles", "Evaluations", "HTTPAPI", "JobStore", "Measurements", "PostgresClient",
        "PostgresStore", "ReaderProtocol", "Reports", "SQLiteStore", "Settings", "StoreConformance", "WireJSON",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    // Workers whose readers take no time, for Benchmarks/.
    .executableTarget(
      name: "StoreLoad",
      dependencies: [
        "ChildProcess", "JobRunner", "JobStore", "PostgresStore", "ReaderProcess", "ReaderProtocol",
        .product(name: "Logging", package: "swift-log"),
      ], path: "Tests/StoreLoad"),
    // The program that is served, which kills itself or its readers at the fault points it is told.
    .executableTarget(
      name: "FaultyServer", dependencies: ["Commands", "FaultPoints", "Locking", "StandardStreams"],
      path: "Tests/FaultyServer"),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "FaultPoints", "FaultyServer", "Locking", "PostgresClient", "ReaderProtocol",
        .product(name: "SerialScanClient", package: "SerialScanClient"),
      ]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c2x,
  cxxLanguageStandard: .cxx17
)

/// `make test FILTER=AppleSerialTests` sets this: then there is what these tests need, and nothing else is built.
if let tests = Context.environment["SERIALSCAN_TESTS"] {
  let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var waiting = tests.split(separator: "|").map { String($0.prefix { $0 != "." }) }
  // Tests that start the program need all of it, and so does whatever is not the name of a module of tests.
  if waiting.allSatisfy({ targets[$0]?.type == .test && $0 != "EndToEndTests" }) {
    var needed: Set<String> = []
    while let name = waiting.popLast() {
      guard let target = targets[name], needed.insert(name).inserted else { continue }
      for dependency in target.dependencies {
        switch dependency {
        case .byNameItem(let name, _), .targetItem(let name, _): waiting.append(name)
        default: break
        }
      }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
  }
}
