// Screens of one record.
import type { ComponentChildren, ComponentType } from "preact";
import { useQuery } from "../api/query.ts";
import { Notice, Skeleton } from "./notice.tsx";
import { Page } from "./page.tsx";
import type { ScreenProps } from "./screen.ts";

/** A record that has been read. */
export interface RecordProps<Data> extends ScreenProps {
  readonly record: Data;
  readonly etag: string | null;
  /** The error of the last read, which may follow earlier ones that succeeded. */
  readonly notice: ComponentChildren;
}

/** A path of the API with the parameters of the screen. */
export const ownPath = (path: string, params: ScreenProps["params"]) =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));

/**
 * The screen of one record: reads it from `path`, which has the parameters of the screen's own path, and shows it with
 * `Content`.
 */
export function recordScreen<Data>(
  path: string,
  Content: ComponentType<RecordProps<Data>>,
): ComponentType<ScreenProps> {
  return function RecordScreen(props) {
    const { data, etag, problem, loading, reload } = useQuery<Data>(ownPath(path, props.params));
    if (loading) return <Skeleton />;
    const notice = problem && <Notice problem={problem} onRetry={reload} />;
    if (data !== undefined) return <Content {...props} record={data} etag={etag} notice={notice} />;
    return (
      <Page title={props.title} back={props.back}>
        {notice}
      </Page>
    );
  };
}
