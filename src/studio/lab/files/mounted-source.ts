import type { ByteSource } from "../../../files/byte-source.js";

/** A file or folder, as the library sees it. */
interface Node {
  id: number;
  mode: number;
  node_ops: object;
  stream_ops: object;
  contents: unknown;
}

/** An open file, as the library sees it. */
interface Stream {
  readonly node: Node;
  position: number;
}

/** What is used of the library's view of the disk (Emscripten, "File System API"). */
export interface LibraryDisk {
  open(path: string, flags: number | string, mode?: number): unknown;
  analyzePath(path: string): { readonly exists: boolean };
  mkdirTree(path: string): void;
  rmdir(path: string): void;
  mount(type: { mount(mount: object): Node }, options: object, path: string): unknown;
  unmount(path: string): void;
  createNode(parent: Node | null, name: string, mode: number): Node;
  readonly ErrnoError: new (code: number) => Error;
}

/** Modes of a folder and of a file that is only read, and the flag of open(2) that creates a file. */
export const FILE_MODE = { folder: 0o40555, file: 0o100444, create: 0o100 } as const;

/** Errors as the library numbers them: no such file, no permission, an invalid argument. */
const [ENOENT, EACCES, EINVAL] = [44, 2, 28];
const [FROM_HERE, FROM_END] = [1, 2];

/** The name of the file in its folder. What a person calls it may be no path. */
const NAME = "data";

/** Shows a source to the library as the only file of a folder. Its bytes are read when the library asks for them. */
export function mountSource(
  disk: LibraryDisk,
  folder: string,
  source: Required<ByteSource>,
): { readonly path: string; unmount(): void } {
  disk.mkdirTree(folder);
  disk.mount({ mount: () => rootWith(disk, source) }, {}, folder);
  return {
    path: `${folder}/${NAME}`,
    unmount: () => {
      disk.unmount(folder);
      disk.rmdir(folder);
    },
  };
}

function rootWith(disk: LibraryDisk, source: Required<ByteSource>): Node {
  const refuse = (code: number) => () => {
    throw new disk.ErrnoError(code);
  };
  const attributes = (node: Node) => ({
    ...{ dev: 1, ino: node.id, mode: node.mode, nlink: 1, uid: 0, gid: 0, rdev: 0 },
    ...{ size: node === root ? 4096 : source.size, blksize: 4096, blocks: Math.ceil(source.size / 4096) },
    ...{ atime: new Date(0), mtime: new Date(0), ctime: new Date(0) },
  });
  const operations = {
    getattr: attributes,
    setattr: () => {},
    lookup: refuse(ENOENT),
    readdir: () => [".", "..", NAME],
    mknod: refuse(EACCES),
    unlink: refuse(EACCES),
    rename: refuse(EACCES),
    rmdir: refuse(EACCES),
    symlink: refuse(EACCES),
  };
  const streams = {
    read: (_: Stream, into: Int8Array, offset: number, length: number, position: number): number => {
      const count = Math.max(0, Math.min(length, source.size - position));
      if (count > 0) source.fill(new Uint8Array(into.buffer, into.byteOffset + offset, count), position);
      return count;
    },
    write: refuse(EACCES),
    llseek: (stream: Stream, offset: number, whence: number): number => {
      const from = whence === FROM_HERE ? stream.position : whence === FROM_END ? source.size : 0;
      if (from + offset < 0) throw new disk.ErrnoError(EINVAL);
      return from + offset;
    },
  };
  const node = (parent: Node | null, name: string, mode: number, contents: unknown): Node =>
    Object.assign(disk.createNode(parent, name, mode), {
      ...{ mode, contents, node_ops: operations, stream_ops: streams },
    });
  const files: Record<string, Node> = {};
  const root = node(null, "/", FILE_MODE.folder, files);
  files[NAME] = node(root, NAME, FILE_MODE.file, {});
  return root;
}
