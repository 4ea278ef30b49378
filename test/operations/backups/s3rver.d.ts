// The used part of s3rver, which has no types.
declare module "@20minutes/s3rver" {
  interface Settings {
    readonly port: number;
    readonly address: string;
    readonly silent: boolean;
    readonly directory: string;
    readonly configureBuckets: readonly { readonly name: string; readonly configs: readonly string[] }[];
  }
  export default class S3rver {
    constructor(settings: Settings);
    run(): Promise<{ readonly port: number }>;
    close(): Promise<void>;
  }
}
