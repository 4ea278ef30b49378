import { Component, type ComponentChildren } from "preact";
import { Button } from "../kit/button.tsx";
import { EmptyState } from "../kit/empty_state.tsx";
import { Page } from "../kit/page.tsx";
import { shell } from "../texts/shell.ts";

interface Props {
  readonly children: ComponentChildren;
  /** The screen. Another value clears the error. */
  readonly of: string;
}

/** Keeps the navigation when a screen throws. */
export class Boundary extends Component<Props, { readonly error: unknown }> {
  override state = { error: null };

  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidUpdate(before: Props) {
    if (before.of !== this.props.of && this.state.error !== null) this.setState({ error: null });
  }

  override render() {
    const { error } = this.state as { error: unknown };
    if (error === null) return this.props.children;
    // A screen's file is gone when a new version was installed since this page was loaded.
    const stale = String(error).includes("dynamically imported module");
    return (
      <Page title={shell.broken}>
        <EmptyState
          icon="warning"
          title={stale ? shell.outOfDate : shell.brokenText}
          text={stale ? "" : String(error)}
          act={<Button kind="primary" onClick={() => location.reload()} title={shell.reload} />}
        />
      </Page>
    );
  }
}
