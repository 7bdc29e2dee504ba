/** What a worker process is told when it is started, in its environment. */
export interface Orders {
  readonly CENSUS_DATABASE_URL: string;
  readonly CENSUS_SCHEMA: string;
  /** 'yes' for the worker that will be killed. */
  readonly CENSUS_LINGER: 'yes' | 'no';
}

/** What a worker process tells the one that started it. */
export type Message =
  | { readonly tells: 'registered'; readonly workerId: string }
  /** It has begun this job and will not finish it. */
  | { readonly tells: 'lingers'; readonly jobId: string }
  | { readonly tells: 'warning'; readonly text: string };
