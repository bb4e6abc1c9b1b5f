/** Questions with a cache (`useAnswer`, `usePages`) and acts that make its answers stale (`useAct`). */
import {
  infiniteQueryOptions,
  keepPreviousData,
  QueryClient,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import type { Page } from "@/gen/api";
import { ask, type Operation, type Operations, type Request, type Response } from "./client";
import { ApiError, isFinal, wasSlow } from "./errors";

export function makeQueryClient(onSignedOut: () => void): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        retry: (failures, error) => failures < 2 && !isFinal(error) && !wasSlow(error),
        refetchOnWindowFocus: true,
      },
    },
  });
  client.getQueryCache().subscribe((event) => {
    if (event.type !== "updated" || event.action.type !== "error") return;
    if (event.action.error instanceof ApiError && event.action.error.status === 401) onSignedOut();
  });
  return client;
}

export function answerTo<O extends Operation>(operation: O, request: Request<O>) {
  return queryOptions({
    queryKey: [operation, request] as const,
    queryFn: ({ signal }) => ask(operation, request, signal),
  });
}

type Options = { enabled?: boolean; refetchInterval?: number; staleTime?: number };

export function useAnswer<O extends Operation>(operation: O, request: Request<O>, options: Options = {}) {
  return useQuery({ ...answerTo(operation, request), ...options });
}

type Listed = { [O in Operation]: Operations[O]["response"] extends Page<infer _> ? O : never }[Operation];
type ItemOf<O extends Listed> = Response<O> extends Page<infer Item> ? Item : never;

/** A list by keyset: the server's `next` continues it, and rows that arrive meanwhile are neither lost nor doubled. */
export function usePages<O extends Listed>(operation: O, request: Request<O>, options: Options = {}) {
  const pages = useInfiniteQuery({
    ...infiniteQueryOptions({
      queryKey: [operation, request, "pages"] as const,
      queryFn: ({ signal, pageParam }) =>
        ask(operation, { ...request, after: pageParam } as Request<O>, signal) as Promise<Page<ItemOf<O>>>,
      initialPageParam: "",
      getNextPageParam: (last) => last.next || undefined,
    }),
    placeholderData: keepPreviousData,
    ...options,
  });
  const first = pages.data?.pages[0];
  return {
    items: pages.data?.pages.flatMap((page) => page.items) ?? [],
    total: first?.total ?? null,
    loading: pages.isPending,
    refreshing: pages.isPlaceholderData,
    error: pages.error,
    retry: () => void pages.refetch(),
    more: pages.hasNextPage ? () => void pages.fetchNextPage() : undefined,
    loadingMore: pages.isFetchingNextPage,
  };
}

/** `stale` names the operations whose answers this act changes: a service's all with `"identity"`. */
export function useAct<O extends Operation>(operation: O, stale: readonly string[]) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (request: Request<O>) => ask(operation, request),
    onSuccess: async () => {
      await client.invalidateQueries({
        predicate: ({ queryKey }) => stale.some((name) => String(queryKey[0]).startsWith(name)),
      });
    },
  });
}
