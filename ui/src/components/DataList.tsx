/**
 * The one list: a table with server paging, sortable columns, a skeleton of its own shape, and rows that the arrow
 * keys walk. A row's first cell is a link that covers the row, so that opening in a new tab works as everywhere.
 */
import { Button, Skeleton } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { Link, type LinkProps } from "@tanstack/react-router";
import { useRef } from "react";
import classes from "./DataList.module.css";
import { ErrorState } from "./ErrorState";
import { nextSort } from "./filters";

export interface Column<Row> {
  /** Also the name that the server sorts by, when `sorts`. */
  key: string;
  title: string;
  width?: string;
  sorts?: boolean;
  align?: "right";
  /** The least importance that stays on a narrow screen is shown always; `wide` columns leave first. */
  wide?: boolean;
  cell: (row: Row) => React.ReactNode;
}

export interface Listing<Row> {
  items: readonly Row[];
  total: number | null;
  loading: boolean;
  refreshing: boolean;
  error: unknown;
  retry: () => void;
  more: (() => void) | undefined;
  loadingMore: boolean;
}

type Props<Row> = {
  label: string;
  listing: Listing<Row>;
  columns: readonly Column<Row>[];
  idOf: (row: Row) => string;
  open?: (row: Row) => LinkProps;
  acts?: (row: Row) => React.ReactNode;
  sort?: string;
  onSort?: (sort: string) => void;
  /** For rows of a single line. */
  dense?: boolean;
  empty: React.ReactNode;
};

export function DataList<Row>(props: Props<Row>) {
  const { label, listing, columns, sort = "", onSort, acts } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  if (listing.error && listing.items.length === 0)
    return <ErrorState error={listing.error} retry={listing.retry} />;
  if (!listing.loading && listing.items.length === 0) return <>{props.empty}</>;
  return (
    <div className={classes.frame} aria-busy={listing.loading || listing.refreshing}>
      <table
        className={classes.table}
        data-refreshing={listing.refreshing || undefined}
        data-dense={props.dense || undefined}
        aria-label={label}
      >
        <colgroup>
          {columns.map((column, index) => (
            <col
              key={column.key}
              style={{ "--width": column.width } as React.CSSProperties}
              data-wide={column.wide || undefined}
              data-main={index === 0 || undefined}
            />
          ))}
          {acts && <col style={{ width: "48px" }} />}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.key} column={column} sort={sort} onSort={onSort} />
            ))}
            {acts && (
              <th scope="col">
                <span className="srOnly">Acts</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={(event) => walk(event, body.current)}>
          {listing.loading ? (
            <SkeletonRows columns={columns} acts={acts !== undefined} />
          ) : (
            listing.items.map((row) => <ListRow key={props.idOf(row)} row={row} {...props} />)
          )}
        </tbody>
      </table>
      {!listing.loading && <Footer listing={listing} />}
    </div>
  );
}

function Heading<Row>({
  column,
  sort,
  onSort,
}: {
  column: Column<Row>;
  sort: string;
  onSort?: (sort: string) => void;
}) {
  const order = sort === column.key ? "ascending" : sort === `-${column.key}` ? "descending" : undefined;
  const Arrow = order === "descending" ? IconArrowDown : IconArrowUp;
  return (
    <th scope="col" aria-sort={order} data-wide={column.wide || undefined} data-align={column.align}>
      {column.sorts && onSort ? (
        <button type="button" onClick={() => onSort(nextSort(sort, column.key))}>
          {column.title}
          <Arrow size={12} data-on={order !== undefined || undefined} aria-hidden="true" />
        </button>
      ) : (
        column.title
      )}
    </th>
  );
}

function ListRow<Row>({ row, columns, open, acts }: Props<Row> & { row: Row }) {
  return (
    <tr className={classes.row}>
      {columns.map((column, index) => (
        <td key={column.key} data-wide={column.wide || undefined} data-align={column.align}>
          {index === 0 && open ? (
            <Link {...open(row)} className={classes.open} data-row>
              {column.cell(row)}
            </Link>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
      {acts && <td className={classes.acts}>{acts(row)}</td>}
    </tr>
  );
}

function SkeletonRows<Row>({ columns, acts }: { columns: readonly Column<Row>[]; acts: boolean }) {
  return Array.from({ length: 8 }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a skeleton have no other name.
    <tr key={row} className={classes.row}>
      {columns.map((column, index) => (
        <td key={column.key} data-wide={column.wide || undefined}>
          <Skeleton
            height={10}
            width={`${index === 0 ? 55 + ((row * 13) % 30) : 40 + ((row * 17 + index * 11) % 35)}%`}
          />
        </td>
      ))}
      {acts && <td />}
    </tr>
  ));
}

function Footer<Row>({ listing }: { listing: Listing<Row> }) {
  const shown = listing.items.length;
  return (
    <div className={classes.footer}>
      <span className="tabular">
        {listing.total !== null ? `${shown} of ${listing.total}` : `${shown} shown`}
      </span>
      {listing.more && (
        <Button variant="default" onClick={listing.more} loading={listing.loadingMore}>
          Load more
        </Button>
      )}
    </div>
  );
}

/** Arrow keys, j and k move between rows; Home and End to the first and last; Enter is the link's own. */
function walk(event: React.KeyboardEvent, body: HTMLElement | null) {
  const rows = [...(body?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  if (at < 0) return;
  const to = { ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, Home: 0, End: rows.length - 1 }[
    event.key
  ];
  const row = to === undefined ? undefined : rows[to];
  if (!row) return;
  event.preventDefault();
  row.focus();
}
