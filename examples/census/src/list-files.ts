import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { unreadableCode } from './unreadable.js';

export interface Listing {
  /** Regular files, in order of their paths. */
  readonly files: readonly string[];
  /** Folders that could not be opened, each with the reason. */
  readonly closedFolders: readonly string[];
}

/** The regular files below a folder. Symlinks are not followed: a file is counted where it lies. */
export async function listFiles(folder: string, signal: AbortSignal): Promise<Listing> {
  const files: string[] = [];
  const closedFolders: string[] = [];
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    signal.throwIfAborted();
    try {
      for await (const entry of await opendir(next, { bufferSize: 256 })) {
        const path = join(next, entry.name);
        if (entry.isDirectory()) folders.push(path);
        else if (entry.isFile()) files.push(path);
      }
    } catch (error) {
      const code = unreadableCode(error);
      if (code === undefined || next === folder) throw error;
      closedFolders.push(`${next} (${code})`);
    }
  }
  return { files: files.sort(), closedFolders: closedFolders.sort() };
}
