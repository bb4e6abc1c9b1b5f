/** A button that leads somewhere: a real link, with the router's types. */
import { Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";

type Props = ButtonProps & Omit<React.ComponentProps<"a">, keyof ButtonProps>;

function Anchor(props: Props) {
  return <Button component="a" {...props} />;
}

export const LinkButton = createLink(Anchor);
