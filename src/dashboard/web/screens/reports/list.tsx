import { seesHouse } from "../../api/session.ts";
import { to } from "../../browser/router.ts";
import { Icon } from "../../kit/icon.tsx";
import { Page } from "../../kit/page.tsx";
import { titles } from "../../texts/navigation.ts";
import { reportTexts as texts } from "../../texts/reports.ts";
import { reports } from "./catalogue.ts";

/** All reports, each with a short description. */
export function ReportsScreen() {
  return (
    <Page title={titles.reports} below={texts.intro}>
      <ul class="reports">
        {reports
          .filter(({ house }) => !house || seesHouse.value)
          .map(({ name }) => (
            <li key={name}>
              <a href={to(`/reports/${name}`)}>
                <span class="report-icon">
                  <Icon name="chart" size={18} />
                </span>
                <span class="report-text">
                  <strong>{texts.reports[name].title}</strong>
                  <small>{texts.reports[name].sentence}</small>
                </span>
                <Icon name="right" />
              </a>
            </li>
          ))}
      </ul>
    </Page>
  );
}
