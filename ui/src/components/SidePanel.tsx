/** What opens over a page: a detail beside its list, with a URL of its own, and a question in the middle. */
import { Drawer, Modal } from "@mantine/core";
import classes from "./SidePanel.module.css";
import { useFocusBack } from "./useFocusBack";

type Props = {
  title: React.ReactNode;
  onClose: () => void;
  wide?: boolean;
  /** Nothing in it asks to be filled in first: focus goes to the panel itself. */
  reading?: boolean;
  children: React.ReactNode;
};

export function SidePanel({ title, onClose, wide, reading, children }: Props) {
  useFocusBack();
  return (
    <Drawer.Root opened onClose={onClose} position="right" size={wide ? 720 : 520}>
      <Drawer.Overlay />
      <Drawer.Content>
        {/* Not a landmark: the page's own header is the only banner. */}
        <Drawer.Header role="presentation" className={classes.head}>
          <Drawer.Title className={classes.title}>{title}</Drawer.Title>
          <Drawer.CloseButton aria-label="Close" />
        </Drawer.Header>
        <Drawer.Body className={classes.body} {...(reading && { tabIndex: -1, "data-autofocus": true })}>
          {children}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

export function Dialog({ title, onClose, wide, reading, children }: Props) {
  useFocusBack();
  return (
    <Modal.Root opened onClose={onClose} size={wide ? 640 : 460}>
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Header role="presentation" className={classes.head}>
          <Modal.Title className={classes.title}>{title}</Modal.Title>
          <Modal.CloseButton aria-label="Close" />
        </Modal.Header>
        <Modal.Body className={classes.dialog} {...(reading && { tabIndex: -1, "data-autofocus": true })}>
          {children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
