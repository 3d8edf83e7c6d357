// swift-tools-version: 6.1
import PackageDescription

/// Declares a C library from Debian, whose module map is in `Sources/CLibraries`.
func library(_ name: String, pkgConfig: String, debian: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/CLibraries/\(name)", pkgConfig: pkgConfig, providers: [.apt([debian])])
}

/// The modules; `docs/architecture.md` has the diagram.
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
    // The client for apps, also used by `watch` for sending photos and by end-to-end tests.
    .package(name: "SerialScanClient", path: "Clients/Swift"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.90.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.30.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
  ],
  targets: [
    // C libraries from Debian, and the C and C++ between them and Swift.
    library("CLeptonica", pkgConfig: "lept", debian: "libleptonica-dev"),
    library("CTesseract", pkgConfig: "tesseract", debian: "libtesseract-dev"),
    library("CHeif", pkgConfig: "libheif", debian: "libheif-dev"),
    library("CWebP", pkgConfig: "libwebp", debian: "libwebp-dev"),
    library("CZBar", pkgConfig: "zbar", debian: "libzbar-dev"),
    library("CZXing", pkgConfig: "zxing", debian: "libzxing-dev"),
    library("CXLSXWriter", pkgConfig: "xlsxwriter", debian: "libxlsxwriter-dev"),
    library("CSodium", pkgConfig: "libsodium", debian: "libsodium-dev"),
    library("CPostgres", pkgConfig: "libpq", debian: "libpq-dev"),
    library("CCurl", pkgConfig: "libcurl", debian: "libcurl4-openssl-dev"),
    library("CSeccomp", pkgConfig: "libseccomp", debian: "libseccomp-dev"),
    .systemLibrary(name: "CMalloc", path: "Sources/CLibraries/CMalloc"),
    .target(name: "CZXingShim", dependencies: ["CZXing"], path: "Sources/CLibraries/CZXingShim"),
    .target(
      name: "CTesseractShortcuts", dependencies: ["CLeptonica", "CTesseract"],
      path: "Sources/CLibraries/CTesseractShortcuts",
      // The linker exports a definition to libraries only if they reference it without a version, but Tesseract
      // references OpenMP's with one.
      linkerSettings: [
        .unsafeFlags(
          ["parallel", "parallel_sections", "sections_next", "sections_end_nowait"].flatMap {
            ["-Xlinker", "--export-dynamic-symbol=GOMP_\($0)"]
          })
      ]),
    .target(
      name: "CDecoderWarnings", path: "Sources/CLibraries/CDecoderWarnings",
      linkerSettings: [
        .linkedLibrary("jpeg"),
        .unsafeFlags(
          ["de265_free_decoder", "jpeg_finish_decompress", "png_warning"].flatMap {
            ["-Xlinker", "--export-dynamic-symbol=\($0)"]
          }),
      ]),
    .target(name: "CTesseractLattice", dependencies: ["CTesseract"], path: "Sources/CLibraries/CTesseractLattice"),
    .target(name: "CWebhookPost", dependencies: ["CCurl"], path: "Sources/CLibraries/CWebhookPost"),
    .target(name: "CChildProcess", dependencies: ["CSeccomp"], path: "Sources/CLibraries/CChildProcess"),
    // Files of the repository embedded in the binary: settings, migrations, models, the page.
    .target(name: "EmbeddedFiles"),

    // Shared by all modules: basic functions, and the common value types.
    .target(name: "Support", dependencies: ["CSodium"]),
    .target(name: "AppleSerial"),
    .target(name: "ScanModel", dependencies: ["AppleSerial"]),
    .target(
      name: "Settings",
      dependencies: ["EmbeddedFiles", "ScanModel", "Support", .product(name: "Yams", package: "Yams")]),

    // Input: request bodies and picture headers.
    .target(name: "MultipartParsing"),
    .target(name: "PictureHeader", dependencies: ["Support"]),

    // Durable storage.
    .target(name: "JobStore", dependencies: ["AppleSerial", "ScanModel", "Support"]),
    .target(name: "SQLStore", dependencies: ["AppleSerial", "JobStore", "ScanModel"]),
    .target(
      name: "BlobFiles", dependencies: ["JobStore", "Support", .product(name: "NIOPosix", package: "swift-nio")]),
    .target(
      name: "SQLiteStore",
      dependencies: [
        "BlobFiles", "EmbeddedFiles", "JobStore", "SQLStore", "ScanModel", "Support",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .target(name: "PostgresClient", dependencies: ["CPostgres", "Support"]),
    .target(
      name: "PostgresStore",
      dependencies: ["BlobFiles", "EmbeddedFiles", "JobStore", "PostgresClient", "SQLStore", "ScanModel", "Support"]),

    // Workers, and the child processes that read and track for them.
    .target(
      name: "ChildProcess",
      dependencies: ["CChildProcess", "ScanModel", "Support", .product(name: "Logging", package: "swift-log")]),
    .target(
      name: "JobRunner",
      dependencies: [
        "ChildProcess", "JobStore", "ScanModel", "Support", .product(name: "Logging", package: "swift-log"),
      ]),

    // Reading: from one photo to one `Reading`. No I/O except the photo.
    .target(name: "Imaging", dependencies: ["CDecoderWarnings", "CHeif", "CLeptonica", "CWebP", "PictureHeader"]),
    .target(name: "BarcodeReading", dependencies: ["AppleSerial", "CZBar", "CZXingShim", "Imaging"]),
    .target(
      name: "TextReading",
      dependencies: ["CTesseract", "CTesseractLattice", "CTesseractShortcuts", "EmbeddedFiles", "Imaging"],
      exclude: ["Model"]),
    .target(
      name: "SerialReading",
      dependencies: ["AppleSerial", "BarcodeReading", "Imaging", "ScanModel", "TextReading", "Tracking"]),

    // Tracking: from consecutive frames to the objects' positions. No I/O.
    .target(name: "Tracking", dependencies: ["Imaging", "ScanModel", "Support"]),
    .target(name: "TrackingSessions", dependencies: ["AppleSerial", "ScanModel"]),

    // Output: files, evaluations, webhooks, HTTP.
    .target(
      name: "Webhooks",
      dependencies: [
        "CSodium", "CWebhookPost", "JobStore", "Settings", "Support",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .target(
      name: "Exports",
      dependencies: [
        "AppleSerial", "CXLSXWriter", "EmbeddedFiles", "JobStore", "ScanModel", "Settings", "Support",
        .product(name: "Yams", package: "Yams"),
      ]),
    .target(
      name: "Evaluations",
      dependencies: [
        "AppleSerial", "BlobFiles", "Exports", "JobStore", "ScanModel", "Support",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .target(
      name: "HTTPAPI",
      dependencies: [
        "AppleSerial", "BlobFiles", "CSodium", "EmbeddedFiles", "Evaluations", "Exports", "JobStore",
        "MultipartParsing", "PictureHeader", "ScanModel", "Settings", "Support", "TrackingSessions",
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

    // The program, which combines the parts.
    .target(
      name: "Commands",
      dependencies: [
        "AppleSerial", "CMalloc", "ChildProcess", "Evaluations", "Exports", "HTTPAPI", "Imaging",
        "JobRunner", "JobStore", "PictureHeader", "PostgresStore", "SQLiteStore", "ScanModel", "SerialReading",
        "Settings", "Support", "TextReading", "Tracking", "TrackingSessions", "Webhooks",
        .product(name: "SerialScanClient", package: "SerialScanClient"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .executableTarget(name: "serialscan", dependencies: ["Commands", "Support"]),

    .testTarget(name: "SupportTests", dependencies: ["Support"]),
    .testTarget(name: "AppleSerialTests", dependencies: ["AppleSerial"]),
    .testTarget(name: "SettingsTests", dependencies: ["ScanModel", "Settings"]),
    .testTarget(name: "MultipartParsingTests", dependencies: ["MultipartParsing"]),
    .testTarget(name: "PictureHeaderTests", dependencies: ["PictureHeader"]),
    .testTarget(name: "FuzzingTests", dependencies: ["CZXingShim", "MultipartParsing", "PictureHeader"]),
    .testTarget(name: "ImagingTests", dependencies: ["Imaging"]),
    .testTarget(name: "BarcodeReadingTests", dependencies: ["AppleSerial", "BarcodeReading", "Imaging"]),
    .testTarget(
      name: "TextReadingTests", dependencies: ["CTesseractShortcuts", "EmbeddedFiles", "Imaging", "TextReading"]),
    .testTarget(
      name: "SerialReadingTests",
      dependencies: [
        "AppleSerial", "BarcodeReading", "Imaging", "ScanModel", "SerialReading", "Settings", "TextReading",
      ]),
    .testTarget(name: "TrackingTests", dependencies: ["Tracking"]),
    .testTarget(name: "TrackingSessionsTests", dependencies: ["ScanModel", "Support", "TrackingSessions"]),
    // A reader or tracker that crashes, hangs, returns false data or exhausts memory on request.
    .executableTarget(name: "FaultyReader", dependencies: ["ChildProcess", "ScanModel"], path: "Tests/FaultyReader"),
    .testTarget(
      name: "ChildProcessTests",
      dependencies: ["CChildProcess", "ChildProcess", "FaultyReader", "ScanModel", "Support"]),
    // The conformance suite that every store must pass.
    .target(
      name: "StoreConformance", dependencies: ["JobStore", "ScanModel", "Support"], path: "Tests/StoreConformance"),
    .testTarget(
      name: "SQLiteStoreTests",
      dependencies: [
        "JobStore", "SQLStore", "SQLiteStore", "ScanModel", "StoreConformance", "Support",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .target(name: "TestCluster", dependencies: ["PostgresClient"], path: "Tests/TestCluster"),
    .target(name: "MigratedDatabase", dependencies: ["PostgresStore", "TestCluster"], path: "Tests/MigratedDatabase"),
    .testTarget(name: "PostgresClientTests", dependencies: ["PostgresClient", "Support", "TestCluster"]),
    .testTarget(
      name: "PostgresStoreTests",
      dependencies: [
        "BlobFiles", "JobStore", "MigratedDatabase", "PostgresClient", "PostgresStore", "SQLStore", "ScanModel",
        "StoreConformance", "Support", "TestCluster",
      ]),
    .testTarget(
      name: "JobRunnerTests",
      dependencies: [
        "ChildProcess", "FaultyReader", "JobRunner", "JobStore", "ScanModel", "StoreConformance", "Support",
      ]),
    .testTarget(
      name: "ExportsTests", dependencies: ["AppleSerial", "Exports", "JobStore", "SQLiteStore", "ScanModel"]),
    // A receiver of webhooks that fails on request.
    .target(name: "WebhookReceiver", dependencies: ["Support"], path: "Tests/WebhookReceiver"),
    .testTarget(
      name: "WebhooksTests",
      dependencies: [
        "JobStore", "SQLiteStore", "ScanModel", "Settings", "StoreConformance", "Support", "WebhookReceiver",
        "Webhooks",
        .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(
      name: "EvaluationsTests",
      dependencies: ["BlobFiles", "Evaluations", "Exports", "JobStore", "ScanModel", "Support"]),
    .testTarget(
      name: "HTTPAPITests",
      dependencies: [
        "EmbeddedFiles", "Evaluations", "Exports", "HTTPAPI", "JobStore", "MigratedDatabase", "PostgresStore",
        "SQLStore", "SQLiteStore", "ScanModel", "Settings", "StoreConformance", "Support", "TestCluster",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    // Workers with instant readers, for Benchmarks/.
    .executableTarget(
      name: "StoreLoad",
      dependencies: [
        "ChildProcess", "JobRunner", "JobStore", "PostgresStore", "SQLStore", "ScanModel",
        .product(name: "Logging", package: "swift-log"),
      ], path: "Tests/StoreLoad"),
    // The server's program, which kills itself or its readers at given fault points.
    .executableTarget(name: "FaultyServer", dependencies: ["Commands", "Support"], path: "Tests/FaultyServer"),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "FaultyServer", "PostgresClient", "ScanModel", "Support", "TestCluster", "WebhookReceiver",
        .product(name: "SerialScanClient", package: "SerialScanClient"),
      ]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c2x,
  cxxLanguageStandard: .cxx17
)

// Optimizing these tests would take most of their compilation, and they hardly compute anything themselves: what they
// test is compiled apart, as it is deployed.
let drivers: Set = [
  "ChildProcessTests", "EndToEndTests", "EvaluationsTests", "ExportsTests", "HTTPAPITests", "JobRunnerTests",
  "PostgresStoreTests", "SQLiteStoreTests", "SerialReadingTests", "StoreConformance", "WebhooksTests",
]
for target in package.targets where drivers.contains(target.name) {
  target.swiftSettings = [.unsafeFlags(["-Onone"])]
}

/// Set by `make test FILTER=AppleSerialTests`, so that only the targets that these tests need are built.
if let tests = Context.environment["SERIALSCAN_TESTS"] {
  let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var waiting = tests.split(separator: "|").map { String($0.prefix { $0 != "." }) }
  // Tests that start the program need all targets, and so does a name that is not a test module.
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
