import JobStore

/// The store's cursor: GRDB has a type of the same name.
typealias ListCursor = Cursor
