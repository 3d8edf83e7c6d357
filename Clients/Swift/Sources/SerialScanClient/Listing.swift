import Foundation

/// A page of a list on the server.
public protocol ListPage: Decodable, Sendable {
  /// The type of the list's items.
  associatedtype Item: Sendable
  /// The page's items.
  var items: [Item] { get }
  /// The cursor of the next page; nil on the last one.
  var nextCursor: String? { get }
}

/// A list on the server, loaded page by page as its items are iterated.
public struct Listing<Page: ListPage>: AsyncSequence, Sendable {
  /// The same items, one page at a time.
  public let pages: ListingPages<Page>

  init(_ connection: Connection, path: String, query: [(String, String)]) {
    pages = ListingPages(connection: connection, path: path, query: query)
  }

  /// Iterates the items of each page.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var pages: ListingPages<Page>.AsyncIterator
    var items: ArraySlice<Page.Item> = []

    /// Returns the next item; nil after the last one.
    public mutating func next() async throws -> Page.Item? {
      while items.isEmpty {
        guard let page = try await pages.next() else { return nil }
        items = page.items[...]
      }
      return items.popFirst()
    }
  }

  /// Creates an iterator that begins with the first page.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: pages.makeAsyncIterator()) }
}

/// The pages of a list. Items added during the iteration cause neither repeated nor missed items.
public struct ListingPages<Page: ListPage>: AsyncSequence, Sendable {
  let connection: Connection
  let path: String
  let query: [(String, String)]

  /// Loads one page after another.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let sequence: ListingPages
    var cursor: String?
    var isAtEnd = false

    /// Returns the next page; nil after the last one.
    public mutating func next() async throws -> Page? {
      guard !isAtEnd else { return nil }
      var request = Request(.get, sequence.path)
      request.query = sequence.query + (cursor.map { [("cursor", $0)] } ?? [])
      let page: Page = try await sequence.connection.json(request)
      cursor = page.nextCursor
      isAtEnd = page.nextCursor == nil
      return page
    }
  }

  /// Creates an iterator that begins with the first page.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(sequence: self) }
}
