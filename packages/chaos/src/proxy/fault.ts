/**
 * What happens to a statement. `cut before`: the server never sees it. `cut midway`: it is sent and the connection ends
 * at once. `cut after`: the server has done it, and its answer is thrown away. `hold`: the answer comes late, perhaps
 * later than anybody waits. `fail`: the server raises an error in its place.
 */
export type Fault =
  | { readonly how: 'cut before' | 'cut midway' | 'cut after' }
  | { readonly how: 'hold'; readonly ms: number }
  | { readonly how: 'fail'; readonly sqlState: string };
