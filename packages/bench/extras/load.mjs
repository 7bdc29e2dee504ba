// Loads a peer from the modules beside this file, which are not those of the workspace.
export const load = (name) => import(name);
