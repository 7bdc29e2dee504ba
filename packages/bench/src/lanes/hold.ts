import type { Cost } from '../host/bench-server.js';
import type { ReceiveResult } from '../processes/task.js';

/** What holds a snapshot meanwhile. A writer has an xid besides, which holds back what waits for old transactions. */
export type Holder = 'nobody' | 'a reader' | 'a writer';

/** How the database looks at the end of a window. */
export interface WindowState {
  readonly backlog: number;
  readonly deadTuples: number;
  readonly bytes: number;
}

export interface Hold {
  readonly holder: Holder;
  readonly offered: number;
  /** Stored and not started when the last was offered. */
  readonly endBacklog: number;
  readonly latency: ReceiveResult;
  readonly windows: readonly WindowState[];
  readonly cost: Cost;
}
