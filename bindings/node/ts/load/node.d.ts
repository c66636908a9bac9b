// The part of Node's types that is used, so that the package needs none.
declare module "node:stream" {
  export interface TransformOptions {
    decodeStrings?: boolean;
    transform?(this: Transform, chunk: any, encoding: string, done: (error?: Error | null) => void): void;
    flush?(this: Transform, done: (error?: Error | null) => void): void;
  }
  export class Transform {
    constructor(options: TransformOptions);
    push(chunk: unknown): boolean;
  }
}
